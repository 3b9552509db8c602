/** Columns of block, log index, time and value, filled chunk by chunk. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { orderBy } from "../../columns/order.ts";
import { sharedDoubles, sharedWords, withRoom } from "../../columns/shared.ts";
import { VALUE_WORDS } from "../cells/words.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";
import type { TransferPlan } from "./plan.ts";

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

  /** @param capacity expected rows */
  constructor(capacity: number) {
    this.block = sharedDoubles(capacity);
    this.logIndex = sharedWords(capacity);
    this.timestamp = sharedDoubles(capacity);
    this.values = sharedWords(capacity);
  }

  /** The columns to select for `append`. */
  columns({ columns: { block, logIndex, value, time } }: TransferPlan) {
    return [block, logIndex, value, ...(time ? [time] : [])];
  }

  /** Appends a chunk whose columns start at `at`. Sets `refused` to 1 for each row with an invalid cell. */
  append(chunk: DuckDBDataChunk, at: number, plan: TransferPlan, refused: Uint8Array): void {
    const { block, logIndex, value, time } = plan.columns;
    const start = this.rows;
    const rows = chunk.rowCount;
    value.decoder.decode(chunk, at + 2, valueCells, refused);
    this.#reserve(start + rows, wordsNeeded(valueCells, rows));

    const blocks = this.block.subarray(start, start + rows);
    const times = this.timestamp.subarray(start, start + rows);
    block.decoder.decode(chunk, at, blocks);
    logIndex.decoder.decode(chunk, at + 1, logIndexCells);
    if (time) time.decoder.decode(chunk, at + 3, times);
    for (let row = 0; row < rows; row++) {
      if (Number.isNaN(blocks[row]! + logIndexCells[row]! + times[row]!)) refused[row] = 1;
    }
    // The times will come from files of blocks.
    if (!time) times.fill(Number.NaN);

    const { logIndex: logIndexes, values, valueWords } = this;
    for (let row = 0; row < rows; row++) {
      logIndexes[start + row] = logIndexCells[row]!;
      const to = (start + row) * valueWords;
      for (let word = 0; word < valueWords; word++) values[to + word] = valueCells[row * VALUE_WORDS + word]!;
    }
    this.rows += rows;
  }

  /** Rows sorted by block and log index; equal rows keep their order. */
  order(): Uint32Array {
    return orderBy(this.rows, [this.block, this.logIndex]);
  }

  #reserve(rows: number, words: number): void {
    this.block = withRoom(this.block, rows, sharedDoubles);
    this.logIndex = withRoom(this.logIndex, rows, sharedWords);
    this.timestamp = withRoom(this.timestamp, rows, sharedDoubles);
    if (words > this.valueWords) this.#widen(words);
    this.values = withRoom(this.values, rows * this.valueWords, sharedWords);
  }

  /** Widens each value to more words. */
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
