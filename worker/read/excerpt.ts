/**
 * An excerpt: a small Parquet file that holds only the row groups and columns a query needs, made of the bytes of one
 * ranged read and a footer written for them.
 *
 * The decoder then sees nothing else: it parses two columns of metadata instead of the whole object's, needs no page
 * index, and can run synchronously on one buffer, so that a panic is an exception and not a promise that never settles.
 *
 * Source: the Parquet format's parquet.thrift.
 */

import { joinBytes } from "../../data-schema/bytes.ts";
import { fileEnd, rowGroup, schema } from "../../data-schema/parquet.ts";
import { i32, i64, list, struct, type Thrift } from "../../data-schema/thrift.ts";

/** A column chunk; `offset` counts from the start of the object, sizes are in bytes. */
export interface Chunk {
  offset: number;
  compressedBytes: number;
  uncompressedBytes: number;
  /** Where the dictionary page ends and the data begins, when there is one. */
  dataOffset: number;
}

export interface ExcerptGroup {
  rows: number;
  /** In the order of `COLUMNS`. */
  chunks: readonly [t: Chunk, v: Chunk];
}

/** The columns of an excerpt, as every series object has them. */
export const COLUMNS = [
  { name: "t", type: "INT64" },
  { name: "v", type: "DOUBLE" },
] as const;

/**
 * Lays the row groups out as a file of their own.
 *
 * @param bytes one range of the object that holds every chunk of the groups
 * @param start where that range starts in the object
 */
export function excerpt(bytes: Uint8Array, start: number, groups: readonly ExcerptGroup[]): Uint8Array {
  const metadata = struct({
    1: i32(2),
    2: schema(COLUMNS),
    3: i64(groups.reduce((rows, group) => rows + group.rows, 0)),
    4: list(groups.map((group) => groupAt(group, start))),
  });
  return joinBytes([bytes, ...fileEnd(metadata)]);
}

function groupAt({ rows, chunks }: ExcerptGroup, start: number): Thrift {
  const placed = COLUMNS.map((column, index) => {
    const chunk = chunks[index]!;
    const [offset, dataOffset] = [chunk.offset - start, chunk.dataOffset - start];
    // What was used to encode stands in the pages; a reader does not need it here.
    return { ...column, encodings: ["PLAIN"] as const, codec: "ZSTD" as const, rows, ...chunk, offset, dataOffset };
  });
  return rowGroup(placed, rows);
}
