/**
 * Rows as a Parquet file whose row groups are written as they come: what its footer says of them is kept until the end.
 * Source: the Parquet format's parquet.thrift.
 */

import {
  chunkOf,
  type DataPage,
  definitionLevels,
  deltaBinaryPacked,
  encodePage,
  fileEnd,
  fileMetadata,
  int64,
  MAGIC,
  type PageValues,
  type ParquetChunk,
  plainDoubles,
  rowGroup,
  type SchemaColumn,
  seriesValues,
  TEXT_COLUMN,
  TIME_COLUMN,
  writePlainTexts,
  writtenList,
} from "../../data-schema/parquet.ts";
import type { Metric } from "../../data-schema/registry.ts";
import { ByteSink, joinBytes, NO_BYTES } from "../../data-schema/text.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";
import type { TextPiece } from "./rows-and-pieces.ts";

/** A column of values, which may be missing: its name, and what they are in. */
interface ValueColumn {
  name: string;
  unit: Metric["unit"];
}

/**
 * A column of times in Unix seconds, or of texts, each of which is a place in a list; with a time of the form unix, also
 * of whole numbers. Where one is nullable, NaN is missing.
 */
export type WrittenColumn =
  | ValueColumn
  | { name: string; time: TimeForm; nullable?: true }
  | { name: string; texts: readonly string[]; nullable?: true };

/** Writes one file, a row group after the other. What its methods return is in memory of its own. */
export class ParquetWriter {
  readonly #columns: readonly ColumnWriter[];
  /** The footer's entries of the row groups that have been written. */
  readonly #groups = new ByteSink();
  #groupCount = 0;
  #rows = 0;
  #bytes = MAGIC.length;
  /** Rows that have been added to the row group. */
  groupRows = 0;

  constructor(columns: readonly WrittenColumn[]) {
    this.#columns = columns.map(writerOf);
  }

  /** Bytes that it holds: pages of the row group, and entries of those before. */
  get heldBytes(): number {
    return this.#columns.reduce((sum, { heldBytes }) => sum + heldBytes, this.#groups.length);
  }

  begin(): Uint8Array<ArrayBuffer> {
    return MAGIC.slice();
  }

  /** Adds rows to the row group: a page to each column. */
  add(columns: readonly Float64Array[]): void {
    for (const [index, values] of columns.entries()) this.#columns[index]!.add(values);
    this.groupRows += columns[0]!.length;
  }

  /**
   * The row group, a column after the other; at least one row.
   *
   * @param values its last rows, unless they have been added: a column of them is encoded when it is written
   */
  *endGroup(values: readonly Float64Array[] | null): Generator<TextPiece> {
    const groupRows = this.groupRows + (values === null ? 0 : values[0]!.length);
    const entries = [];
    for (const [index, column] of this.#columns.entries()) {
      if (values) column.add(values[index]!);
      const { bytes, entryAt } = column.take();
      entries.push(entryAt(this.#bytes));
      this.#bytes += bytes.length;
      yield { text: bytes, points: column.column.type === "DOUBLE" ? groupRows : 0 };
    }
    rowGroup(entries, groupRows).write(this.#groups);
    this.#groupCount++;
    this.#rows += groupRows;
    this.groupRows = 0;
  }

  /** The footer, which also has these key-value entries. */
  end(entries: Record<string, string>): Uint8Array<ArrayBuffer> {
    const columns = this.#columns.map(({ column }) => column);
    const groups = writtenList(this.#groupCount, this.#groups.view());
    return joinBytes(fileEnd(fileMetadata({ columns, rows: this.#rows, groups, entries })));
  }
}

function writerOf(column: WrittenColumn): ColumnWriter {
  const { name } = column;
  if ("unit" in column) return new ColumnWriter({ name, type: "DOUBLE", nullable: true }, doubles(column.unit));
  const [form, kind]: [Omit<SchemaColumn, "name">, Kind] =
    "texts" in column
      ? [TEXT_COLUMN, texts(column.texts)]
      : column.time === "iso"
        ? [TIME_COLUMN, MILLISECONDS]
        : [{ type: "INT64" }, INTEGERS];
  if (column.nullable) return new ColumnWriter({ ...form, name, nullable: true }, leavingOut(kind));
  return new ColumnWriter({ ...form, name }, kind);
}

/** Memory for the values of a column, which are encoded at once. */
let room = new Float64Array();

/** How the numbers of a column are stored. */
interface Kind {
  encode(values: Float64Array, nulls: number): PageValues;
  /** The least, or the greatest, as statistics have it; left out if the numbers stand for something else. */
  bound?(value: number, isLeast: boolean): Uint8Array;
}

const INTEGERS = {
  encode: (values: Float64Array, _nulls: number): PageValues => ({
    rows: values.length,
    encoding: "DELTA_BINARY_PACKED",
    data: deltaBinaryPacked(values),
  }),
  bound: int64,
} satisfies Kind;

const MILLISECONDS: Kind = {
  encode: (values) => INTEGERS.encode(inMilliseconds(values), 0),
  bound: (seconds) => int64(1000 * seconds),
};

/** In memory that the next call overwrites. */
function inMilliseconds(seconds: Float64Array): Float64Array {
  if (room.length < seconds.length) room = new Float64Array(seconds.length);
  for (let row = 0; row < seconds.length; row++) room[row] = 1000 * seconds[row]!;
  return room.subarray(0, seconds.length);
}

let textRoom = new Uint8Array();

const texts = (all: readonly string[]): Kind => {
  const encoded = all.map((text) => writePlainTexts([text]).slice());
  return {
    encode(places) {
      const length = places.reduce((sum, place) => sum + encoded[place]!.length, 0);
      if (textRoom.length < length) textRoom = new Uint8Array(length);
      let end = 0;
      for (const place of places) {
        textRoom.set(encoded[place]!, end);
        end += encoded[place]!.length;
      }
      return { rows: places.length, encoding: "PLAIN", data: textRoom.subarray(0, length) };
    },
  };
};

/** NaN stands for null. */
const doubles = (unit: Metric["unit"]): Kind => ({
  encode: (values, nulls) => ({
    rows: values.length,
    levels: definitionLevels(values, nulls),
    ...seriesValues(unit, nulls === 0 ? values : present(values)),
  }),
  // A least value of 0 is written as -0, a greatest as +0: not every reader takes the two as equal.
  bound: (value, isLeast) => plainDoubles(Float64Array.of(value === 0 ? (isLeast ? -0 : 0) : value)),
});

/** The same of values that may be missing. */
const leavingOut = (kind: Kind): Kind => ({
  ...kind,
  encode(values, nulls) {
    const levels = definitionLevels(values, nulls);
    const { length: rows } = values;
    // Encodings of differences need a first value.
    if (nulls === rows) return { rows, levels, encoding: "PLAIN", data: NO_BYTES };
    return { ...kind.encode(nulls === 0 ? values : present(values), 0), rows, levels };
  },
});

/** The values that are not missing, in memory that the next call overwrites. */
function present(values: Float64Array): Float64Array {
  if (room.length < values.length) room = new Float64Array(values.length);
  let count = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (!Number.isNaN(value)) room[count++] = value;
  }
  return room.subarray(0, count);
}

/** A column of the row group that is being written. */
class ColumnWriter {
  readonly column: SchemaColumn;
  readonly #kind: Kind;
  #pages: DataPage[] = [];
  #nulls = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  constructor(column: SchemaColumn, kind: Kind) {
    this.column = column;
    this.#kind = kind;
  }

  get heldBytes(): number {
    return this.#pages.reduce((sum, { stored }) => sum + stored.length, 0);
  }

  /** @param values at least one */
  add(values: Float64Array): void {
    let nulls = 0;
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!;
      if (Number.isNaN(value)) nulls++;
      if (value < this.#least) this.#least = value;
      if (value > this.#greatest) this.#greatest = value;
    }
    this.#nulls += nulls;
    this.#pages.push(encodePage(this.#kind.encode(values, nulls), "ZSTD"));
  }

  /** The column, which is then empty. */
  take(): ParquetChunk {
    const { name, type, nullable } = this.column;
    const hasValues = this.#least <= this.#greatest;
    const bound = this.#kind.bound;
    const { bytes, entryAt } = chunkOf(
      {
        name,
        type,
        codec: "ZSTD",
        ...(nullable && { nulls: this.#nulls }),
        ...(hasValues && bound && { range: { min: bound(this.#least, true), max: bound(this.#greatest, false) } }),
      },
      this.#pages,
    );
    // `bytes` is a copy, and garbage of buffers would wait for a collection.
    for (const { stored } of this.#pages) {
      const { buffer } = stored;
      // Node puts small ones into a buffer that others use.
      if (buffer instanceof ArrayBuffer && buffer.byteLength === stored.length) buffer.transfer(0);
    }
    this.#pages = [];
    this.#nulls = 0;
    this.#least = Number.POSITIVE_INFINITY;
    this.#greatest = Number.NEGATIVE_INFINITY;
    return { pieces: [bytes], bytes, entryAt };
  }
}
