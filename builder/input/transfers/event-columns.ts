/** The columns of transfers, filled batch by batch. */

import { orderBy } from "../../lib/columns/order.ts";
import { sharedDoubles, sharedWords, withRoom } from "../../lib/columns/shared.ts";
import { AddressTable } from "../addresses.ts";
import { VALUE_WORDS } from "../cells/words.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";
import type { RowBatch } from "./row-batch.ts";

const logIndexCells = new Float64Array(CHUNK_ROWS);
const valueCells = new Uint32Array(VALUE_WORDS * CHUNK_ROWS);

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
  readonly addresses = new AddressTable();

  /** @param capacity expected rows */
  constructor(capacity: number) {
    this.block = sharedDoubles(capacity);
    this.logIndex = sharedWords(capacity);
    this.timestamp = sharedDoubles(capacity);
    this.values = sharedWords(capacity);
    this.from = sharedWords(capacity);
    this.to = sharedWords(capacity);
  }

  /** Appends rows. Sets `refused` to 1 for each row with an invalid cell. */
  append(batch: RowBatch, refused: Uint8Array): void {
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

    const [from, to] = [this.from, this.to].map((numbers) => numbers.subarray(start, start + rows));
    batch.sides(this.addresses, from!, to!, refused);
    this.rows += rows;
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
