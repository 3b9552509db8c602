/** The columns of transfers, filled with batches of rows, wherever those are read from. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { orderBy } from "../../../lib/columns/order.ts";
import { sharedDoubles, sharedWords, withRoom } from "../../../lib/columns/shared.ts";
import { AddressTable } from "../../addresses.ts";
import type { ReadableColumn } from "../../cells/cell-columns.ts";
import { VALUE_WORDS } from "../../cells/words.ts";
import { VECTOR_ROWS } from "../../duckdb/vectors.ts";
import { type ByMark, eachMark, type Mark } from "../columns/marks.ts";
import type { TransferPlan } from "../columns/transfer-columns.ts";
import { pickRows } from "./number-sides.ts";

const logIndexCells = new Float64Array(VECTOR_ROWS);
const valueCells = new Uint32Array(VALUE_WORDS * VECTOR_ROWS);
const blockCells = new Float64Array(VECTOR_ROWS);
const timeCells = new Float64Array(VECTOR_ROWS);
const markCells = new Uint32Array(VECTOR_ROWS);
const pickedRows = new Uint32Array(VECTOR_ROWS);
const noneRefused = new Uint8Array(VECTOR_ROWS);

export class EventColumns {
  rows = 0;
  block: Float64Array<SharedArrayBuffer>;
  logIndex: Uint32Array<SharedArrayBuffer>;
  /** Unix seconds; NaN if the file has no times. */
  timestamp: Float64Array<SharedArrayBuffer>;
  /** Words per value: as many as the largest value needs. */
  valueWords = 1;
  /** `valueWords` little-endian words per row. */
  values: Uint32Array<SharedArrayBuffer>;
  /** Senders and receivers, as numbers in `addresses`: in order of appearance, row by row. */
  from: Uint32Array<SharedArrayBuffer>;
  to: Uint32Array<SharedArrayBuffer>;
  /** Marks that a file has; 0 in the rows of files without them. */
  marks: ByMark<Uint32Array<SharedArrayBuffer>> = {};
  readonly addresses = new AddressTable();

  readonly #list: AddressTable | undefined;

  /**
   * @param capacity expected rows
   * @param list if only rows with one of these addresses are wanted: a build before has checked all cells
   */
  constructor(capacity: number, list?: AddressTable) {
    this.#list = list;
    this.block = sharedDoubles(capacity);
    this.logIndex = sharedWords(capacity);
    this.timestamp = sharedDoubles(capacity);
    this.values = sharedWords(capacity);
    this.from = sharedWords(capacity);
    this.to = sharedWords(capacity);
  }

  /** Appends rows. Sets `refused` to 1 for each row with an invalid cell. */
  append(batch: RowBatch, refused: Uint8Array): void {
    if (this.#list) {
      this.#pick(batch, this.#list);
      return;
    }
    const { rows: start } = this;
    const { rows } = batch;
    batch.values(valueCells, refused);
    this.#reserve(start + rows, wordsNeeded(valueCells, rows));

    const blocks = this.block.subarray(start, start + rows);
    const times = this.timestamp.subarray(start, start + rows);
    batch.blocks(blocks);
    batch.logIndexes(logIndexCells);
    batch.times?.(times);
    for (let row = 0; row < rows; row++) {
      if (Number.isNaN(blocks[row]! + logIndexCells[row]! + times[row]!)) refused[row] = 1;
    }
    // They will come from files of blocks.
    if (!batch.times) times.fill(Number.NaN);

    const { logIndex: logIndexes, values, valueWords } = this;
    for (let row = 0; row < rows; row++) {
      logIndexes[start + row] = logIndexCells[row]!;
      const to = (start + row) * valueWords;
      for (let word = 0; word < valueWords; word++) values[to + word] = valueCells[row * VALUE_WORDS + word]!;
    }

    for (const [mark, take] of Object.entries(batch.marks))
      take(this.#marked(mark as Mark).subarray(start, start + rows));

    const [from, to] = [this.from, this.to].map((numbers) => numbers.subarray(start, start + rows));
    batch.sides(this.addresses, from!, to!, refused);
    this.rows += rows;
  }

  /** Appends the rows with an address of the list. */
  #pick(batch: RowBatch, list: AddressTable): void {
    const count = batch.pick(list, this.addresses, pickedRows);
    // Every column has to be taken, as the next rows are those behind it.
    batch.values(valueCells, noneRefused);
    batch.blocks(blockCells);
    batch.logIndexes(logIndexCells);
    if (batch.times) batch.times(timeCells);
    else timeCells.fill(Number.NaN);
    const { rows: start } = this;
    for (let i = 0; i < count; i++) {
      valueCells.copyWithin(i * VALUE_WORDS, pickedRows[i]! * VALUE_WORDS, (pickedRows[i]! + 1) * VALUE_WORDS);
    }
    this.#reserve(start + count, wordsNeeded(valueCells, count));
    const { valueWords } = this;
    const [from, to] = [this.addresses.numbers(0), this.addresses.numbers(1)];
    for (let i = 0, at = start; i < count; i++, at++) {
      const row = pickedRows[i]!;
      this.block[at] = blockCells[row]!;
      this.logIndex[at] = logIndexCells[row]!;
      this.timestamp[at] = timeCells[row]!;
      for (let word = 0; word < valueWords; word++)
        this.values[at * valueWords + word] = valueCells[i * VALUE_WORDS + word]!;
      this.from[at] = from[i]!;
      this.to[at] = to[i]!;
    }
    for (const [mark, take] of Object.entries(batch.marks)) {
      take(markCells);
      const marks = this.#marked(mark as Mark);
      for (let i = 0; i < count; i++) marks[start + i] = markCells[pickedRows[i]!]!;
    }
    this.rows += count;
  }

  /** The column of a mark, with room for as many rows as the others. */
  #marked(mark: Mark): Uint32Array {
    const marks = this.marks[mark] ?? sharedWords(this.block.length);
    this.marks[mark] = marks;
    return marks;
  }

  /** Rows sorted by block and log index; equal rows keep their order. Undefined if all are in order already. */
  order(): Uint32Array | undefined {
    return this.#isInOrder() ? undefined : orderBy(this.rows, [this.block, this.logIndex]);
  }

  #isInOrder(): boolean {
    const { rows, block, logIndex } = this;
    for (let row = 1; row < rows; row++) {
      if (block[row]! > block[row - 1]!) continue;
      if (block[row]! < block[row - 1]! || logIndex[row]! < logIndex[row - 1]!) return false;
    }
    return true;
  }

  #reserve(rows: number, words: number): void {
    this.block = withRoom(this.block, rows, sharedDoubles);
    this.logIndex = withRoom(this.logIndex, rows, sharedWords);
    this.timestamp = withRoom(this.timestamp, rows, sharedDoubles);
    this.from = withRoom(this.from, rows, sharedWords);
    this.to = withRoom(this.to, rows, sharedWords);
    this.marks = eachMark(this.marks, (marks) => withRoom(marks, rows, sharedWords));
    if (words > this.valueWords) this.#widen(words);
    this.values = withRoom(this.values, rows * this.valueWords, sharedWords);
  }

  #widen(words: number): void {
    const { rows, values, valueWords } = this;
    const wide = sharedWords((values.length / valueWords) * words);
    for (let row = 0; row < rows; row++) {
      for (let word = 0; word < valueWords; word++) wide[row * words + word] = values[row * valueWords + word]!;
    }
    this.values = wide;
    this.valueWords = words;
  }
}

/** Words that the largest value needs; at least one. */
function wordsNeeded(values: Uint32Array, rows: number): number {
  let needed = 1;
  for (let at = 0; at < rows * VALUE_WORDS; at += VALUE_WORDS) {
    for (let word = VALUE_WORDS - 1; word >= needed; word--) if (values[at + word] !== 0) needed = word + 1;
  }
  return needed;
}

/**
 * Some rows, at most CHUNK_ROWS. Each method decodes a column of all of them, and is called once, in this order. A number
 * that its rule refuses becomes NaN; other refused cells set `refused` to 1 for their row.
 */
export interface RowBatch {
  rows: number;
  /** Copies the values, VALUE_WORDS words a row. */
  values(words: Uint32Array, refused: Uint8Array): void;
  blocks(out: Float64Array): void;
  logIndexes(out: Float64Array): void;
  /** Unix seconds. Left out if the file has no times. */
  times?(out: Float64Array): void;
  /** The marks that the file has, one word a row. */
  marks: ByMark<(out: Uint32Array) => void>;
  /** Numbers the senders and receivers in order of appearance, row by row. */
  sides(table: AddressTable, from: Uint32Array, to: Uint32Array, refused: Uint8Array): void;
  /** Instead of `sides`, and before the others: picks the rows with an address of a list, as `pickSides` does. */
  pick(list: AddressTable, table: AddressTable, picked: Uint32Array): number;
}

/** The columns to select for `chunkBatch`. */
export function chunkColumns({ columns: { block, logIndex, value, from, to, time }, marks }: TransferPlan) {
  const columns = [block, logIndex, value, from, to, ...(time ? [time] : [])] satisfies ReadableColumn<unknown>[];
  return [...columns, ...Object.values(marks)];
}

/** A chunk of DuckDB's. */
export function chunkBatch(chunk: DuckDBDataChunk, { columns, marks }: TransferPlan): RowBatch {
  const { block, logIndex, value, from, to, time } = columns;
  const rows = chunk.rowCount;
  return {
    rows,
    values: (words, refused) => value.decoder.decode(chunk, 2, words, refused),
    blocks: (out) => block.decoder.decode(chunk, 0, out),
    logIndexes: (out) => logIndex.decoder.decode(chunk, 1, out),
    ...(time && { times: (out: Float64Array) => time.decoder.decode(chunk, 5, out) }),
    marks: eachMark(marks, ({ decoder }, place) => {
      const column = (time ? 6 : 5) + place;
      return (out: Uint32Array) => decoder.decode(chunk, column, out, noneRefused);
    }),
    sides(table, froms, tos, refused) {
      from.decoder.decode(chunk, 3, table.words(0), refused);
      to.decoder.decode(chunk, 4, table.words(1), refused);
      table.insert(rows, 2);
      froms.set(table.numbers(0).subarray(0, rows));
      tos.set(table.numbers(1).subarray(0, rows));
    },
    pick(list, table, picked) {
      const refused = new Uint8Array(rows);
      from.decoder.decode(chunk, 3, list.words(0), refused);
      to.decoder.decode(chunk, 4, list.words(1), refused);
      return pickRows(list, table, rows, picked);
    },
  };
}
