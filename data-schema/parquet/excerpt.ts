/**
 * An excerpt: a small Parquet file that holds only the row groups and columns that a reader needs, made of the bytes of
 * one range of an object and a footer written for them.
 *
 * The decoder sees nothing else: it parses the metadata of two or three columns instead of the whole object's, needs no
 * page index, and runs synchronously on one buffer, so that a panic is an exception and not a promise that never
 * settles.
 */

import { joinBytes } from "../text/bytes.ts";
import { fileEnd, rowGroup, schema } from "./file-metadata.ts";
import type { RowGroup } from "./series-object.ts";
import { i32, i64, list, struct } from "./thrift.ts";

/** The columns that an excerpt can have. */
export const NUMBER_COLUMNS = { t: "INT64", v: "DOUBLE", block: "INT64" } as const;
export type NumberColumnName = keyof typeof NUMBER_COLUMNS;

/** What an excerpt needs to know of a row group. */
export type ExcerptGroup = Pick<RowGroup, "rows" | "chunks">;

/**
 * Lays row groups out as a file of their own.
 *
 * @param bytes a range of the object that holds the chunks of the columns
 * @param start where that range starts in the object
 */
export function excerpt(
  bytes: Uint8Array,
  start: number,
  groups: readonly ExcerptGroup[],
  names: readonly NumberColumnName[],
): Uint8Array<ArrayBuffer> {
  const columns = names.map((name) => ({ name, type: NUMBER_COLUMNS[name] }));
  const rowGroups = groups.map(({ rows, chunks }) => {
    const placed = columns.map((column) => {
      const chunk = chunks[column.name]!;
      const [offset, dataOffset] = [chunk.offset - start, chunk.dataOffset - start];
      // A page states its own encoding; decoders do not read it here.
      return { ...column, encodings: ["PLAIN"] as const, codec: "ZSTD" as const, rows, ...chunk, offset, dataOffset };
    });
    return rowGroup(placed, rows);
  });
  const metadata = struct({
    1: i32(2),
    2: schema(columns),
    3: i64(groups.reduce((rows, group) => rows + group.rows, 0)),
    4: list(rowGroups),
  });
  return joinBytes([bytes, ...fileEnd(metadata)]);
}
