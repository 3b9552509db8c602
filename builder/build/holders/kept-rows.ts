/** Rows that may be listed, in memory that grows: a list takes fewer and fewer of those that come. */

import { ADDRESS_WORDS } from "../../input/addresses.ts";
import { type CheckpointRows, emptyRows } from "../checkpoint/checkpoint-rows.ts";

/** A column as 32-bit words, so many a row. */
type WordColumn = readonly [words: Uint32Array, aRow: number];

/** Rows of a piece of memory: a power of two. */
const PIECE_ROWS = 16_384;

/** Rows are read in any order: so all that is kept of one lies side by side. The balance is first. */
export class KeptRows {
  readonly #words: number;
  /** 32-bit words of a row. */
  readonly #width: number;
  readonly #pieces: Uint32Array[] = [];
  #count = 0;
  #batch: CheckpointRows | undefined;
  #columns: readonly WordColumn[] = [];

  /** @param words 32-bit words of each balance */
  constructor(words: number) {
    this.#words = words;
    // The label is behind the columns of words.
    this.#width = columnsOf(emptyRows(0, words), words).reduce((sum, [, aRow]) => sum + aRow, 1);
  }

  /** Keeps a row, and returns its number: they ascend. */
  add(batch: CheckpointRows, row: number): number {
    if (batch !== this.#batch) [this.#batch, this.#columns] = [batch, columnsOf(batch, this.#words)];
    if (this.#count === PIECE_ROWS * this.#pieces.length) {
      this.#pieces.push(new Uint32Array(PIECE_ROWS * this.#width));
    }
    const [memory, columns] = [this.#pieceOf(this.#count), this.#columns];
    let at = this.#placeOf(this.#count);
    for (let c = 0; c < columns.length; c++) {
      const [from, aRow] = columns[c]!;
      for (let word = aRow * row, end = word + aRow; word < end; word++) memory[at++] = from[word]!;
    }
    memory[at] = batch.labels[row]!;
    return this.#count++;
  }

  /** Lets the last row go. */
  drop(): void {
    this.#count--;
  }

  #pieceOf(row: number): Uint32Array {
    return this.#pieces[Math.floor(row / PIECE_ROWS)]!;
  }

  /** Where a row begins in its piece. */
  #placeOf(row: number): number {
    return this.#width * (row % PIECE_ROWS);
  }

  /** Compares the balances of two rows, exactly. */
  compareBalances(row: number, other: number): number {
    const [one, another] = [this.#pieceOf(row), this.#pieceOf(other)];
    const [at, there] = [this.#placeOf(row), this.#placeOf(other)];
    for (let word = this.#words - 1; word >= 0; word--) {
      const difference = one[at + word]! - another[there + word]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Copies some rows, in the order that is given, to the beginning of others. */
  pick(numbers: Uint32Array, into: CheckpointRows): CheckpointRows {
    const columns = columnsOf(into, this.#words);
    for (let row = 0; row < numbers.length; row++) {
      const memory = this.#pieceOf(numbers[row]!);
      let at = this.#placeOf(numbers[row]!);
      for (let c = 0; c < columns.length; c++) {
        const [to, aRow] = columns[c]!;
        for (let word = aRow * row, end = word + aRow; word < end; word++) to[word] = memory[at++]!;
      }
      into.labels[row] = memory[at]!;
    }
    return { ...into, rows: numbers.length };
  }
}

/** What lists have of rows, but for the labels, which are bytes. */
function columnsOf(rows: CheckpointRows, words: number): WordColumn[] {
  const { balances, addresses, basis, since, firstEvent, lastSend, lastReceipt, realised, sent } = rows;
  const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Float64Array) =>
    new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT);
  return [
    [balances, words],
    [wordsOf(addresses), ADDRESS_WORDS],
    ...[basis, since, firstEvent, lastSend, lastReceipt, realised, sent].map(
      (column): WordColumn => [wordsOf(column), 2],
    ),
    ...[rows.receipts, rows.sends, rows.cohorts].map((column): WordColumn => [column, 1]),
  ];
}
