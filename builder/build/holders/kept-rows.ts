/** Rows that may be listed, in memory that grows: a list takes fewer and fewer of those that come. */

import { ADDRESS_WORDS } from "../../input/addresses.ts";
import { type CheckpointRows, emptyRows } from "../checkpoint/checkpoint-rows.ts";

/** Columns as 32-bit words, and how many a row has of each. */
interface WordColumns {
  words: readonly Uint32Array[];
  aRow: readonly number[];
}

/** Rows of a piece of memory: a power of two, and the bits of numbers below it. */
const PIECE_BITS = 14;
const PIECE_ROWS = 1 << PIECE_BITS;

/** Rows that are picked column by column: the cache of a core holds them. */
const CACHED_ROWS = 256;

/** Rows are read in any order: so all that is kept of one lies side by side. The balance is first. */
export class KeptRows {
  readonly #words: number;
  /** 32-bit words of a row. */
  readonly #width: number;
  readonly #pieces: Uint32Array[] = [];
  #count = 0;
  #batch: CheckpointRows | undefined;
  #columns: WordColumns = { words: [], aRow: [] };

  /** @param words 32-bit words of each balance */
  constructor(words: number) {
    this.#words = words;
    // The label is behind the columns of words.
    this.#width = columnsOf(emptyRows(0, words), words).aRow.reduce((sum, aRow) => sum + aRow, 1);
  }

  /** Keeps a row, and returns its number: they ascend. */
  add(batch: CheckpointRows, row: number): number {
    if (batch !== this.#batch) [this.#batch, this.#columns] = [batch, columnsOf(batch, this.#words)];
    if (this.#count === PIECE_ROWS * this.#pieces.length) {
      this.#pieces.push(new Uint32Array(PIECE_ROWS * this.#width));
    }
    const { words, aRow } = this.#columns;
    const memory = this.#pieceOf(this.#count);
    let at = this.#placeOf(this.#count);
    for (let c = 0; c < words.length; c++) {
      // A pair of both would be garbage: a kilobyte a row.
      const from = words[c]!;
      const count = aRow[c]!;
      for (let word = count * row, end = word + count; word < end; word++) memory[at++] = from[word]!;
    }
    memory[at] = batch.labels[row]!;
    return this.#count++;
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** Lets the last row go. */
  drop(): void {
    this.#count--;
  }

  #pieceOf(row: number): Uint32Array {
    return this.#pieces[row >>> PIECE_BITS]!;
  }

  /** Where a row begins in its piece. */
  #placeOf(row: number): number {
    return this.#width * (row & (PIECE_ROWS - 1));
  }

  /** Compares the balances of two rows, exactly. */
  compareBalances(row: number, other: number): number {
    const one = this.#pieceOf(row);
    const another = this.#pieceOf(other);
    const at = this.#placeOf(row);
    const there = this.#placeOf(other);
    for (let word = this.#words - 1; word >= 0; word--) {
      const difference = one[at + word]! - another[there + word]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Copies some rows, in the order that is given, to the beginning of others. */
  pick(numbers: Uint32Array, into: CheckpointRows): CheckpointRows {
    const { words, aRow } = columnsOf(into, this.#words);
    const { labels } = into;
    for (let begin = 0; begin < numbers.length; begin += CACHED_ROWS) {
      const end = Math.min(begin + CACHED_ROWS, numbers.length);
      let behind = 0;
      for (let c = 0; c < words.length; c++) {
        this.#pickColumn(numbers, begin, end, behind, words[c]!, aRow[c]!);
        behind += aRow[c]!;
      }
      for (let row = begin; row < end; row++) {
        labels[row] = this.#pieceOf(numbers[row]!)[this.#placeOf(numbers[row]!) + behind]!;
      }
    }
    return { ...into, rows: numbers.length };
  }

  /** @param behind words of a row before the column's */
  #pickColumn(numbers: Uint32Array, begin: number, end: number, behind: number, to: Uint32Array, count: number): void {
    for (let row = begin, word = count * begin; row < end; row++) {
      const memory = this.#pieceOf(numbers[row]!);
      const at = this.#placeOf(numbers[row]!) + behind;
      for (let i = 0; i < count; i++) to[word++] = memory[at + i]!;
    }
  }
}

/** What lists have of rows, but for the labels, which are bytes. */
function columnsOf(rows: CheckpointRows, words: number): WordColumns {
  const { balances, addresses, basis, since, firstEvent, lastSend, lastReceipt, realised, sent } = rows;
  const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Float64Array) =>
    new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT);
  const doubles = [basis, since, firstEvent, lastSend, lastReceipt, realised, sent];
  const counts = [rows.receipts, rows.sends, rows.cohorts];
  return {
    words: [balances, wordsOf(addresses), ...doubles.map(wordsOf), ...counts],
    aRow: [words, ADDRESS_WORDS, ...doubles.map(() => 2), ...counts.map(() => 1)],
  };
}
