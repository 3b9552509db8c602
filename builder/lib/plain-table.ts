/**
 * Parquet files whose columns all have values of a fixed width: PLAIN, with zstd or without, one page for each column of a row group.
 * They are written and read a row group at a time, so the memory that takes does not depend on their length.
 */

import { zstdDecompressSync } from "node:zlib";
import type { ColumnMetaData, RowGroup } from "hyparquet";
import { encodeChunk } from "../../data-schema/parquet/chunk.ts";
import {
  type Codec,
  type Column,
  type ColumnChunk,
  fileEnd,
  fileMetadata,
  MAGIC,
  rowGroup,
  type ValueRange,
} from "../../data-schema/parquet/metadata.ts";
import { list } from "../../data-schema/parquet/thrift.ts";
import { SERIES_INFO_KEY } from "../../data-schema/series.ts";
import { readBytes, readInto, readMetadata, withFile } from "./parquet-file.ts";

export interface PlainGroup<Name extends string, Bytes extends Uint8Array = Uint8Array> {
  rows: number;
  /** The values of each column, one after the other, little-endian. */
  columns: Record<Name, Bytes>;
  ranges?: Partial<Record<Name, ValueRange>>;
}

/** The row groups of a file, as its footer names them. For `toJson`. */
export interface PlainGroups {
  groups: { chunks: ColumnChunk[]; rows: number }[];
  rows: number;
  /** Where they end in the file; 0 if nothing has been written. */
  end: number;
}

type Columns<Name extends string> = readonly (Column & { name: Name })[];

/**
 * Encodes a table, row group by row group. With the same version of zstd, the same groups always give the same bytes.
 * The file is what `group` and then `end` return, in order.
 */
export class PlainTableEncoder<Name extends string> {
  /** What has been written. */
  readonly written: PlainGroups = { groups: [], rows: 0, end: 0 };
  readonly #columns: Columns<Name>;
  readonly #codec: Codec;

  constructor(columns: Columns<Name>, codec: Codec = "ZSTD") {
    this.#columns = columns;
    this.#codec = codec;
  }

  *group({ rows, columns, ranges }: PlainGroup<Name>): Generator<Uint8Array> {
    const { written } = this;
    if (written.end === 0) {
      yield MAGIC;
      written.end = MAGIC.length;
    }
    const chunks: ColumnChunk[] = [];
    for (const { name, type } of this.#columns) {
      const range = ranges?.[name];
      const column = { name, type, codec: this.#codec, rows, ...(range && { range }) } as const;
      const chunk = encodeChunk({ ...column, encoding: "PLAIN", data: columns[name] });
      const entry = chunk.entryAt(written.end);
      chunks.push(entry);
      written.end += entry.compressedBytes;
      yield* chunk.pieces;
    }
    written.groups.push({ chunks, rows });
    written.rows += rows;
  }

  /** @param entry the metadata entry `soprano` */
  end(entry: string): Uint8Array[] {
    return plainTableEnd(this.#columns, this.written, entry);
  }
}

/**
 * The end of a file, whose beginning a `PlainTableEncoder` has written.
 *
 * @param entry the metadata entry `soprano`
 */
export function plainTableEnd(columns: readonly Column[], { groups, rows, end }: PlainGroups, entry: string) {
  const content = { columns, rows, groups: list(groups.map(({ chunks, rows }) => rowGroup(chunks, rows))) };
  return [
    ...(end === 0 ? [MAGIC] : []),
    ...fileEnd(fileMetadata({ ...content, entries: { [SERIES_INFO_KEY]: entry } })),
  ];
}

/** A file that `PlainTableEncoder` made. It is open only while it is being read. */
export class PlainTableFile {
  readonly path: string;
  readonly rows: number;
  /** The metadata entry `soprano`. */
  readonly entry: string | undefined;
  readonly #groups: RowGroup[];
  readonly #widths: ReadonlyMap<string, number | undefined>;

  /** @throws {Error} it is not a Parquet file, or can't be read */
  constructor(path: string) {
    const { schema, row_groups, num_rows, key_value_metadata } = withFile(path, readMetadata);
    this.path = path;
    this.rows = Number(num_rows);
    this.entry = key_value_metadata?.find(({ key }) => key === SERIES_INFO_KEY)?.value;
    this.#groups = row_groups;
    this.#widths = new Map(schema.map(({ name, type_length }) => [name, type_length]));
  }

  /** Bytes of each value of a FIXED_LEN_BYTE_ARRAY; undefined if there is no such column. */
  widthOf(column: string): number | undefined {
    return this.#widths.get(column);
  }

  get groups(): number {
    return this.#groups.length;
  }

  rowsOf(group: number): number {
    return Number(this.#groups[group]!.num_rows);
  }

  /** Where the columns of a row group are in the file. */
  rangeOf(group: number): { offset: number; length: number } {
    const chunks = this.#groups[group]!.columns.map(({ meta_data }) => meta_data!);
    const offset = Math.min(...chunks.map((chunk) => Number(chunk.data_page_offset)));
    const end = Math.max(...chunks.map((chunk) => Number(chunk.data_page_offset + chunk.total_compressed_size)));
    return { offset, length: end - offset };
  }

  /**
   * Reads some columns, a row group at a time.
   *
   * @throws as `group`
   */
  *read<Name extends string>(
    widths: Readonly<Record<Name, number>>,
  ): Generator<PlainGroup<Name, Uint8Array<ArrayBuffer>>> {
    for (let index = 0; index < this.groups; index++) yield this.group(index, widths);
  }

  /**
   * Reads some columns of a row group. Each has a buffer of its own, or the room that it is given.
   *
   * @param widths of the values of each column that is wanted, in bytes
   * @param room at least as long as the columns that are read into it
   * @throws {Error} the columns are others, or can't be read
   */
  group<Name extends string>(
    index: number,
    widths: Readonly<Record<Name, number>>,
    room: Partial<Record<Name, Uint8Array<ArrayBuffer>>> = {},
  ): PlainGroup<Name, Uint8Array<ArrayBuffer>> {
    const { columns: chunks, num_rows } = this.#groups[index]!;
    const rows = Number(num_rows);
    return withFile(this.path, (file) => {
      const columns: Record<string, Uint8Array<ArrayBuffer>> = {};
      for (const [name, width] of Object.entries<number>(widths)) {
        const chunk = chunks.find(({ meta_data }) => meta_data?.path_in_schema.join() === name)?.meta_data;
        if (!chunk) throw new Error(`it has no column ${name}`);
        const into = room[name as Name]?.subarray(0, width * rows) ?? new Uint8Array(width * rows);
        readChunk(file, chunk, into);
        columns[name] = into;
      }
      return { rows, columns };
    });
  }
}

/** @param into is filled with the values */
function readChunk(file: number, chunk: ColumnMetaData, into: Uint8Array): void {
  const { length } = into;
  // The chunk is one page: a header, then the values.
  const header = Number(chunk.total_uncompressed_size) - length;
  const [offset, size] = [Number(chunk.data_page_offset), Number(chunk.total_compressed_size)];
  const refuse = (found: number) => {
    throw new Error(`it has ${found} bytes of ${chunk.path_in_schema.join()}`);
  };
  if (chunk.codec === "UNCOMPRESSED") {
    if (size - header !== length) refuse(size - header);
    readInto(file, offset + header, into);
    return;
  }
  const bytes = readBytes(file, offset, size);
  // Room for all values: zstd then makes them in one piece.
  const values = zstdDecompressSync(bytes.subarray(header), { chunkSize: length + 1024 });
  if (values.length !== length) refuse(values.length);
  into.set(values);
}
