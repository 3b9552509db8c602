/**
 * The parts of the Parquet format that builder and Worker share: footers, column chunks, encodings, and the columns of
 * series.
 */

export * from "./parquet/chunk.ts";
export * from "./parquet/columns.ts";
export * from "./parquet/decode-columns.ts";
export * from "./parquet/encodings.ts";
export * from "./parquet/file-metadata.ts";
export type { Inflate } from "./parquet/plain-pages.ts";
export * from "./parquet/series-object.ts";
export * from "./parquet/split-bytes.ts";
export * from "./parquet/thrift.ts";
