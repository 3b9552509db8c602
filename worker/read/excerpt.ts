/**
 * An excerpt: a small Parquet file that holds only the row groups and columns a query needs, made of the bytes of one
 * ranged read and a footer written for them.
 *
 * The decoder then sees nothing else: it parses two columns of metadata instead of the whole object's, needs no page
 * index, and can run synchronously on one buffer, so that a panic is an exception and not a promise that never settles.
 *
 * Source: the Parquet format's parquet.thrift.
 */

import { encodeThrift, i32, i64, list, struct, type Thrift, text } from "../../data-schema/thrift.ts";

/** A column chunk; `offset` counts from the start of the object, sizes are in bytes. */
export interface Chunk {
  offset: number;
  compressedBytes: number;
  uncompressedBytes: number;
  /** Where the dictionary page ends and the data begins, when there is one. */
  dataOffset: number;
}

/** A column as the footer's schema declares it. */
export interface Column {
  name: "t" | "v";
  physicalType: keyof typeof PHYSICAL_TYPES;
  optional: boolean;
}

export interface ExcerptGroup {
  rows: number;
  /** In the order of the columns. */
  chunks: readonly [t: Chunk, v: Chunk];
}

const PHYSICAL_TYPES = { INT64: 2, DOUBLE: 5 } as const;
const REQUIRED = 0;
const OPTIONAL = 1;
const ZSTD = 6;
const MAGIC = [0x50, 0x41, 0x52, 0x31];

/**
 * Lays the row groups out as a file of their own.
 *
 * @param bytes one range of the object that holds every chunk of the groups
 * @param start where that range starts in the object
 */
export function excerpt(
  bytes: Uint8Array,
  start: number,
  columns: readonly Column[],
  groups: readonly ExcerptGroup[],
): Uint8Array {
  const footer = encodeThrift(
    struct({
      1: i32(2),
      2: list([
        struct({ 4: text("schema"), 5: i32(columns.length) }),
        ...columns.map((column) =>
          struct({
            1: i32(PHYSICAL_TYPES[column.physicalType]),
            3: i32(column.optional ? OPTIONAL : REQUIRED),
            4: text(column.name),
          }),
        ),
      ]),
      3: i64(groups.reduce((rows, group) => rows + group.rows, 0)),
      4: list(groups.map((group) => rowGroup(group, columns, start))),
    }),
  );
  const file = new Uint8Array(bytes.length + footer.length + 8);
  file.set(bytes);
  file.set(footer, bytes.length);
  new DataView(file.buffer).setUint32(bytes.length + footer.length, footer.length, true);
  file.set(MAGIC, file.length - 4);
  return file;
}

function rowGroup({ rows, chunks }: ExcerptGroup, columns: readonly Column[], start: number): Thrift {
  return struct({
    1: list(
      columns.map(({ name, physicalType }, index) => {
        const { offset, dataOffset, compressedBytes, uncompressedBytes } = chunks[index]!;
        return struct({
          2: i64(0),
          3: struct({
            1: i32(PHYSICAL_TYPES[physicalType]),
            // What was used to encode stands in the pages; a reader does not need it here.
            2: list([i32(0)]),
            3: list([text(name)]),
            4: i32(ZSTD),
            5: i64(rows),
            6: i64(uncompressedBytes),
            7: i64(compressedBytes),
            9: i64(dataOffset - start),
            ...(dataOffset === offset ? {} : { 11: i64(offset - start) }),
          }),
        });
      }),
    ),
    2: i64(chunks.reduce((sum, chunk) => sum + chunk.uncompressedBytes, 0)),
    3: i64(rows),
  });
}
