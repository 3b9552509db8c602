/** Tables between stages: Parquet files, read and written by row groups. */

import type { Codec, Column } from "../../../data-schema/parquet/metadata.ts";
import { addUp, differences } from "../../lib/columns/differences.ts";
import { PlainTableEncoder, PlainTableFile } from "../../lib/plain-table.ts";
import type { StageFolder } from "./folder.ts";
import { fromJson, toJson } from "./json.ts";

/**
 * How a column is in memory, and its type in Parquet; integers of less than 32 bits are stored as bytes, and columns of
 * row numbers, which rise, as differences.
 */
const CELLS = {
  u8: { array: Uint8Array, type: "FIXED_LEN_BYTE_ARRAY", bytes: 1, rises: false },
  u16: { array: Uint16Array, type: "FIXED_LEN_BYTE_ARRAY", bytes: 2, rises: false },
  u32: { array: Uint32Array, type: "INT32", bytes: 4, rises: false },
  f64: { array: Float64Array, type: "DOUBLE", bytes: 8, rises: false },
  "rising u32": { array: Uint32Array, type: "INT32", bytes: 4, rises: true },
} as const;
type Cell = keyof typeof CELLS;
type Arrays = {
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
  f64: Float64Array;
  "rising u32": Uint32Array;
};

/** The columns of a table: a cell a row, or several. */
export type Layout = Readonly<Record<string, Cell | readonly [cell: Cell, aRow: number]>>;

export type Rows<L extends Layout> = {
  [Name in keyof L]: Arrays[L[Name] extends readonly [infer C extends Cell, number] ? C : L[Name] & Cell];
};

const cellOf = (spec: Layout[string]) => (typeof spec === "string" ? ([spec, 1] as const) : spec);

/** Memory that one row group after the other is read into: garbage outside the heap is collected late, and at a cost. */
export class Room<L extends Layout> {
  readonly #layout: L;
  #rows = 0;
  #arrays: Rows<L> | undefined;

  constructor(layout: L) {
    this.#layout = layout;
  }

  /** Room for so many rows; what was read into it before is lost. */
  of(rows: number): Rows<L> {
    if (this.#arrays && rows <= this.#rows) return this.#arrays;
    const arrays = Object.entries(this.#layout).map(([name, spec]) => {
      const [cell, aRow] = cellOf(spec);
      return [name, new CELLS[cell].array(rows * aRow)];
    });
    this.#rows = rows;
    this.#arrays = Object.fromEntries(arrays) as Rows<L>;
    return this.#arrays;
  }
}

export class TableEncoder<L extends Layout> {
  readonly #encoder: PlainTableEncoder<string>;
  readonly #layout: L;

  constructor(layout: L, codec: Codec) {
    this.#layout = layout;
    this.#encoder = new PlainTableEncoder(
      Object.entries(layout).map(([name, spec]): Column => {
        const [cell, aRow] = cellOf(spec);
        const { type, bytes } = CELLS[cell];
        if (aRow === 1 && type !== "FIXED_LEN_BYTE_ARRAY") return { name, type };
        return { name, type: "FIXED_LEN_BYTE_ARRAY", width: bytes * aRow };
      }),
      codec,
    );
  }

  /** A row group. */
  group(count: number, rows: Rows<L>): Generator<Uint8Array> {
    const columns: Record<string, Uint8Array> = {};
    for (const [name, spec] of Object.entries(this.#layout)) {
      const [cell, aRow] = cellOf(spec);
      const { bytes, rises } = CELLS[cell];
      const given = (rows as Record<string, Arrays[Cell]>)[name]!.subarray(0, count * aRow);
      const { buffer, byteOffset } = rises ? differences(given as Uint32Array) : given;
      columns[name] = new Uint8Array(buffer, byteOffset, count * aRow * bytes);
    }
    return this.#encoder.group({ rows: count, columns });
  }

  /** @param facts what else the file says */
  end(facts: unknown = null): Uint8Array[] {
    return this.#encoder.end(toJson(facts));
  }
}

export class TableFile<L extends Layout, Facts = null> {
  readonly facts: Facts;
  readonly #file: PlainTableFile;
  readonly #layout: L;

  /**
   * @param pick the row groups that will be read; all if left out
   * @throws {Error} the file is missing or damaged
   */
  static async open<L extends Layout, Facts = null>(
    folder: StageFolder,
    name: string,
    layout: L,
    pick: (file: TableFile<L, Facts>) => Iterable<number> = ({ groups }) => Array(groups).keys(),
  ): Promise<TableFile<L, Facts>> {
    const table = await folder.table(name);
    const file = new TableFile<L, Facts>(table.path, layout);
    await table.fetch(pick(file));
    return file;
  }

  private constructor(path: string, layout: L) {
    this.#file = new PlainTableFile(path);
    this.#layout = layout;
    this.facts = fromJson(this.#file.entry ?? "null");
  }

  get groups(): number {
    return this.#file.groups;
  }

  rowsOf(group: number): number {
    return this.#file.rowsOf(group);
  }

  /**
   * A row group.
   *
   * @param room columns that are read into memory that is there, at least as long, instead of new memory
   * @throws {Error} the file is damaged
   */
  group(index: number, room: Partial<Rows<L>> = {}): { count: number } & Rows<L> {
    const widths: Record<string, number> = {};
    const rooms: Record<string, Uint8Array<ArrayBuffer>> = {};
    for (const [name, spec] of Object.entries(this.#layout)) {
      const [cell, aRow] = cellOf(spec);
      widths[name] = CELLS[cell].bytes * aRow;
      const given = (room as Record<string, Arrays[Cell] | undefined>)[name];
      if (given) rooms[name] = new Uint8Array(given.buffer as ArrayBuffer, given.byteOffset, given.byteLength);
    }
    const { rows, columns } = this.#file.group(index, widths, rooms);
    const arrays: Record<string, Arrays[Cell]> = {};
    for (const [name, spec] of Object.entries(this.#layout)) {
      const { array, bytes, rises } = CELLS[cellOf(spec)[0]];
      const { buffer, byteOffset, length } = columns[name]!;
      const column = new array(buffer, byteOffset, length / bytes);
      arrays[name] = rises ? addUp(column as Uint32Array) : column;
    }
    return { count: rows, ...(arrays as Rows<L>) };
  }
}
