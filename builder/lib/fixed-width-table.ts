/**
 * Tables whose cells all have a fixed width, as Parquet files in their plainest form: PLAIN or BYTE_STREAM_SPLIT, with zstd or
 * without, one page for each column of a row group. They are written and read a row group at a time, so the memory that takes does not depend on
 * their length. With the same version of zstd, the same rows always give the same bytes.
 */

import { zstdDecompressSync } from "node:zlib";
import type { ColumnMetaData, RowGroup } from "hyparquet";
import {
  type Codec,
  type ColumnChunk,
  encodeChunk,
  fileEnd,
  fileMetadata,
  i32,
  list,
  MAGIC,
  rowGroup,
  type SchemaColumn,
  SERIES_INFO_KEY,
  splitBytes,
  unsplitBytes,
} from "../../data-schema/parquet.ts";
import { addUp, differences } from "./columns/differences.ts";
import { readBytes, readInto, readMetadata, withFile } from "./files/parquet-file.ts";

type Numbers = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

interface CellType {
  array: new (length: number) => Numbers;
  type: SchemaColumn["type"];
  /** Bytes of a cell in the file. */
  bytes: number;
  converted?: SchemaColumn["converted"];
  /** The cells as they are stored, and back; without them, as they are. */
  store?: (cells: never) => Numbers;
  load?: (stored: Uint8Array<ArrayBuffer>) => Numbers;
  /** The first bytes of all rows, then the second ones, and so on: smaller where these are alike. */
  isSplit?: true;
}

/** How cells are in memory, and in Parquet. Integers of less than 32 bits are stored as bytes, unless other tools read them. */
const CELLS = {
  u8: { array: Uint8Array, type: "FIXED_LEN_BYTE_ARRAY", bytes: 1 },
  u16: { array: Uint16Array, type: "FIXED_LEN_BYTE_ARRAY", bytes: 2 },
  i32: { array: Int32Array, type: "INT32", bytes: 4 },
  u32: { array: Uint32Array, type: "INT32", bytes: 4 },
  f64: { array: Float64Array, type: "DOUBLE", bytes: 8 },
  "split u8": { array: Uint8Array, type: "FIXED_LEN_BYTE_ARRAY", bytes: 1, isSplit: true },
  "split u32": { array: Uint32Array, type: "INT32", bytes: 4, isSplit: true },
  /** Row numbers, which rise, as differences. */
  "rising u32": {
    array: Uint32Array,
    type: "INT32",
    bytes: 4,
    store: (cells: Uint32Array) => differences(cells),
    load: ({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>) =>
      addUp(new Uint32Array(buffer, byteOffset, length / 4)),
  },
  /** An integer of 8 bits that other tools read: Parquet's UINT_8. */
  "u8 as i32": {
    array: Uint8Array,
    type: "INT32",
    bytes: 4,
    converted: i32(11),
    store: (cells: Uint8Array) => new Uint32Array(cells),
    load: ({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>) =>
      new Uint8Array(new Uint32Array(buffer, byteOffset, length / 4)),
  },
  /** Whole numbers of up to 53 bits. */
  i64: { array: Float64Array, type: "INT64", bytes: 8, store: longs, load: fromLongs },
} as const satisfies Record<string, CellType>;

type Cell = keyof typeof CELLS;
/** Arrays over any buffer: threads share some. */
interface Arrays extends Record<Cell, Numbers> {
  u8: Uint8Array;
  u16: Uint16Array;
  i32: Int32Array;
  u32: Uint32Array;
  f64: Float64Array;
  "split u8": Uint8Array;
  "split u32": Uint32Array;
  "rising u32": Uint32Array;
  "u8 as i32": Uint8Array;
  i64: Float64Array;
}

/** The columns of a table: a cell a row, or so many, which are bytes to Parquet. */
export type Layout = Readonly<Record<string, Cell | readonly [cell: Cell, aRow: number]>>;

export type Rows<L extends Layout> = {
  [Name in keyof L]: Arrays[L[Name] extends readonly [infer C extends Cell, number] ? C : L[Name] & Cell];
};

/** The columns of a layout, as Parquet has them. */
interface TableColumn extends CellType {
  name: string;
  /** Cells of a row, and bytes of a row. */
  aRow: number;
  width: number;
}

const columnsOf = (layout: Layout): TableColumn[] =>
  Object.entries(layout).map(([name, spec]) => {
    if (typeof spec === "string") return { ...CELLS[spec], name, aRow: 1, width: CELLS[spec].bytes };
    const [cell, aRow] = spec;
    return { ...CELLS[cell], type: "FIXED_LEN_BYTE_ARRAY", name, aRow, width: CELLS[cell].bytes * aRow };
  });

const parquetColumn = ({ name, type, width, converted }: TableColumn): SchemaColumn => ({
  name,
  type,
  ...(type === "FIXED_LEN_BYTE_ARRAY" && { width }),
  ...(converted && { converted }),
});

/** The row groups of a file, as its footer names them. For `toJson`. */
export interface WrittenGroups {
  groups: { chunks: ColumnChunk[]; rows: number }[];
  rows: number;
  /** Where they end in the file; 0 if nothing has been written. */
  end: number;
}

/** Encodes a table, row group by row group. The file is what `group` and then `end` return, in order. */
export class TableEncoder<L extends Layout> {
  readonly written: WrittenGroups = { groups: [], rows: 0, end: 0 };
  readonly #layout: L;
  readonly #codec: Codec;
  readonly #sortedBy: (keyof L & string) | undefined;

  /** @param sortedBy a column whose bytes rise with the rows: readers skip row groups by its first and last cell */
  constructor(layout: L, codec: Codec = "ZSTD", sortedBy?: keyof L & string) {
    this.#layout = layout;
    this.#codec = codec;
    this.#sortedBy = sortedBy;
  }

  *group(rows: number, cells: Rows<L>): Generator<Uint8Array> {
    const { written } = this;
    if (written.end === 0) {
      yield MAGIC;
      written.end = MAGIC.length;
    }
    const chunks: ColumnChunk[] = [];
    for (const column of columnsOf(this.#layout)) {
      const { name, type, width, aRow, store, isSplit } = column;
      const given = (cells as Record<string, Numbers>)[name]!.subarray(0, rows * aRow);
      const stored = store ? store(given as never) : given;
      const { buffer, byteOffset } = stored;
      const plain = new Uint8Array(buffer, byteOffset, width * rows);
      const range = name === this.#sortedBy && { range: { min: plain.slice(0, width), max: plain.slice(-width) } };
      const values = isSplit
        ? ({ encoding: "BYTE_STREAM_SPLIT", data: splitBytes(plain, width) } as const)
        : ({ encoding: "PLAIN", data: plain } as const);
      const chunk = encodeChunk({ name, type, codec: this.#codec, rows, ...values, ...range });
      if (this.#codec !== "UNCOMPRESSED") {
        for (const made of [stored, values.data]) if (made.buffer !== given.buffer) free(made);
      }
      const entry = chunk.entryAt(written.end);
      chunks.push(entry);
      written.end += entry.compressedBytes;
      yield* chunk.pieces;
    }
    written.groups.push({ chunks, rows });
    written.rows += rows;
  }

  /** @param entry the metadata entry `soprano` */
  end(entry?: string): Uint8Array[] {
    return tableEnd(this.#layout, this.written, entry);
  }
}

/** The end of a file, whose beginning a `TableEncoder` has written. */
export function tableEnd(layout: Layout, { groups, rows, end }: WrittenGroups, entry?: string): Uint8Array[] {
  const metadata = fileMetadata({
    columns: columnsOf(layout).map(parquetColumn),
    rows,
    groups: list(groups.map(({ chunks, rows }) => rowGroup(chunks, rows))),
    ...(entry !== undefined && { entries: { [SERIES_INFO_KEY]: entry } }),
  });
  return [...(end === 0 ? [MAGIC] : []), ...fileEnd(metadata)];
}

/** Memory that one row group after the other is read into: garbage outside the heap is collected late, and at a cost. */
export class RowGroupMemory<L extends Layout> {
  readonly #layout: L;
  #rows = 0;
  #arrays: Rows<L> | undefined;

  constructor(layout: L) {
    this.#layout = layout;
  }

  /** Room for so many rows; what was read into it before is lost. */
  of(rows: number): Rows<L> {
    if (this.#arrays && rows <= this.#rows) return this.#arrays;
    const arrays = columnsOf(this.#layout).map(({ name, array, aRow }) => [name, new array(rows * aRow)]);
    this.#rows = rows;
    this.#arrays = Object.fromEntries(arrays) as Rows<L>;
    return this.#arrays;
  }
}

/** A table that `TableEncoder` made, or some of its columns. The file is open only while it is being read. */
export class TableFile<L extends Layout> {
  readonly path: string;
  readonly rows: number;
  /** The metadata entry `soprano`. */
  readonly entry: string | undefined;
  readonly layout: L;
  readonly #groups: RowGroup[];

  /**
   * @param layout that of the columns to be read; or what makes it of the bytes that a row has of a column
   * @throws {Error} it is not a Parquet file, or can't be read
   */
  constructor(path: string, layout: L | ((widthOf: (column: string) => number | undefined) => L)) {
    const { schema, row_groups, num_rows, key_value_metadata } = withFile(path, readMetadata);
    this.path = path;
    this.rows = Number(num_rows);
    this.entry = key_value_metadata?.find(({ key }) => key === SERIES_INFO_KEY)?.value;
    this.#groups = row_groups;
    const widthOf = (column: string) => schema.find(({ name }) => name === column)?.type_length;
    this.layout = typeof layout === "function" ? layout(widthOf) : layout;
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
   * A row group.
   *
   * @param room columns that are read into memory that is there, at least as long, instead of new memory
   * @throws {Error} the file is damaged, or has other columns
   */
  group(index: number, room: Partial<Rows<L>> = {}): { count: number } & Rows<L> {
    const { columns: chunks, num_rows } = this.#groups[index]!;
    const count = Number(num_rows);
    return withFile(this.path, (file) => {
      const arrays = columnsOf(this.layout).map(({ name, array, aRow, width, load, isSplit }) => {
        const chunk = chunks.find(({ meta_data }) => meta_data?.path_in_schema.join() === name)?.meta_data;
        if (!chunk) throw new Error(`it has no column ${name}`);
        const given = (room as Record<string, Numbers | undefined>)[name];
        const target = given ?? (load ? new Uint8Array(width * count) : new array(aRow * count));
        const stored = new Uint8Array(target.buffer as ArrayBuffer, target.byteOffset, width * count);
        readChunk(file, chunk, stored);
        if (isSplit) {
          const values = unsplitBytes(stored, width);
          stored.set(values);
          free(values);
        }
        return [name, load ? load(stored) : target.subarray(0, aRow * count)];
      });
      return { count, ...(Object.fromEntries(arrays) as Rows<L>) };
    });
  }

  /** All row groups, or those from one to another, exclusive, one at a time. @throws {Error} as `group` */
  *read(from = 0, to = this.groups): Generator<{ count: number } & Rows<L>> {
    for (let group = from; group < to; group++) yield this.group(group);
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
  free(values);
  free(bytes);
}

/** Frees memory that nobody has any more: as garbage it would wait for a collection, and bring it about. */
function free({ buffer, byteLength }: Numbers): void {
  // Small buffers of Node's share one, which can't be freed.
  if (buffer instanceof ArrayBuffer && 2 * byteLength > buffer.byteLength) buffer.transfer(0);
}

/** Whole numbers as 64-bit integers, little-endian. */
function longs(numbers: Float64Array): Int32Array {
  const words = new Int32Array(2 * numbers.length);
  for (let index = 0; index < numbers.length; index++) {
    words[2 * index] = numbers[index]! % 2 ** 32;
    words[2 * index + 1] = Math.floor(numbers[index]! / 2 ** 32);
  }
  return words;
}

function fromLongs({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Float64Array {
  const view = new DataView(buffer, byteOffset, length);
  return Float64Array.from({ length: length / 8 }, (_, index) => {
    return view.getInt32(8 * index + 4, true) * 2 ** 32 + view.getUint32(8 * index, true);
  });
}
