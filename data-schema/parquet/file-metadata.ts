/** The metadata of Parquet files, which builder and Worker both write. Source: the Parquet format's parquet.thrift. */

import type { ByteSink } from "../text/bytes.ts";
import { binary, encodeThrift, i32, i64, list, struct, type Thrift, thriftText } from "./thrift.ts";

export const PHYSICAL_TYPES = { INT32: 1, INT64: 2, DOUBLE: 5, BYTE_ARRAY: 6, FIXED_LEN_BYTE_ARRAY: 7 } as const;
export const CODECS = { UNCOMPRESSED: 0, ZSTD: 6 } as const;
export const REPETITIONS = { REQUIRED: 0, OPTIONAL: 1 } as const;

export const ENCODINGS = { PLAIN: 0, RLE: 3, DELTA_BINARY_PACKED: 5, RLE_DICTIONARY: 8, BYTE_STREAM_SPLIT: 9 } as const;

type PhysicalType = keyof typeof PHYSICAL_TYPES;
export type Encoding = keyof typeof ENCODINGS;
export type Codec = keyof typeof CODECS;

/** The first and the last bytes of a file. */
export const MAGIC = new TextEncoder().encode("PAR1");

/** The end of a file after its footer: the length of the footer and `MAGIC`. */
export const PARQUET_TRAILER_BYTES = 8;

/** A column in a file's schema. */
export interface SchemaColumn {
  name: string;
  type: PhysicalType;
  /** Whether it may have nulls. */
  nullable?: boolean;
  /** Bytes of each value of a FIXED_LEN_BYTE_ARRAY. */
  width?: number;
  /** What its numbers or bytes mean, in the older and in the newer form. */
  converted?: Thrift;
  logical?: Thrift;
}

/** The footer's entry of a column of a row group. */
export interface ColumnChunk {
  name: string;
  type: PhysicalType;
  encodings: readonly Encoding[];
  codec: Codec;
  rows: number;
  uncompressedBytes: number;
  compressedBytes: number;
  /** Where it begins in the file. Like all sizes, in bytes. */
  offset: number;
  /** Where its data page begins: after the dictionary page, if there is one. */
  dataOffset: number;
  /** Readers skip row groups by it. */
  range?: ValueRange;
  /** How many, in a column that may have them. */
  nulls?: number;
}

/** Least and greatest value, in PLAIN encoding; texts without their length. */
export interface ValueRange {
  min: Uint8Array;
  max: Uint8Array;
}

/** By the very array of columns, which all objects of a kind have. */
const schemas = new WeakMap<readonly SchemaColumn[], Thrift>();

/** The footer's list of columns, which begins with their root. */
function schema(columns: readonly SchemaColumn[]): Thrift {
  const known = schemas.get(columns);
  if (known) return known;
  const made = list([
    struct({ 4: thriftText("schema"), 5: i32(columns.length) }),
    ...columns.map(({ name, type, nullable, width, converted, logical }) =>
      struct({
        1: i32(PHYSICAL_TYPES[type]),
        2: width === undefined ? undefined : i32(width),
        3: i32(nullable ? REPETITIONS.OPTIONAL : REPETITIONS.REQUIRED),
        4: thriftText(name),
        6: converted,
        10: logical,
      }),
    ),
  ]);
  const bytes = encodeThrift(made);
  const encoded = { ...made, write: (sink: ByteSink) => sink.bytes(bytes) };
  schemas.set(columns, encoded);
  return encoded;
}

/** The footer's entry of a row group. */
export function rowGroup(chunks: readonly ColumnChunk[], rows: number): Thrift {
  return struct({
    1: list(chunks.map(columnChunk)),
    2: i64(chunks.reduce((sum, { uncompressedBytes }) => sum + uncompressedBytes, 0)),
    3: i64(rows),
  });
}

function columnChunk(chunk: ColumnChunk): Thrift {
  const { name, type, encodings, codec, rows, uncompressedBytes, compressedBytes, offset, dataOffset } = chunk;
  return struct({
    2: i64(0),
    3: struct({
      1: i32(PHYSICAL_TYPES[type]),
      2: list(encodings.map((encoding) => i32(ENCODINGS[encoding]))),
      3: list([thriftText(name)]),
      4: i32(CODECS[codec]),
      5: i64(rows),
      6: i64(uncompressedBytes),
      7: i64(compressedBytes),
      9: i64(dataOffset),
      11: dataOffset === offset ? undefined : i64(offset),
      12: statistics(chunk),
    }),
  });
}

function statistics({ range, nulls }: ColumnChunk): Thrift | undefined {
  if (range === undefined && nulls === undefined) return undefined;
  return struct({
    3: nulls === undefined ? undefined : i64(nulls),
    5: range && binary(range.max),
    6: range && binary(range.min),
  });
}

/** What the footer of a whole file says. */
export interface FileContent {
  columns: readonly SchemaColumn[];
  rows: number;
  /** The list of its row groups. */
  groups: Thrift;
  /** Key-value entries. */
  entries?: Record<string, string>;
}

/** The footer of a file that Soprano writes. */
export function fileMetadata({ columns, rows, groups, entries }: FileContent): Thrift {
  return struct({
    1: i32(1),
    2: schema(columns),
    3: i64(rows),
    4: groups,
    5:
      entries &&
      list(Object.entries(entries).map(([key, value]) => struct({ 1: thriftText(key), 2: thriftText(value) }))),
    6: thriftText("soprano"),
    // The column orders: least and greatest values follow the order that each type defines.
    7: list(columns.map(() => struct({ 1: struct({}) }))),
  });
}

/** The end of a file, in pieces: the footer, its length and `MAGIC`. */
export function fileEnd(metadata: Thrift): Uint8Array[] {
  const footer = encodeThrift(metadata);
  return [footer, new Uint8Array(Uint32Array.of(footer.length).buffer), MAGIC];
}
