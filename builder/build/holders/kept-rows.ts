/** Rows that may be listed, in memory that grows: a list takes fewer and fewer of those that come. */

import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { type CheckpointRows, copyKept, emptyRows } from "../checkpoint/checkpoint-rows.ts";

export class KeptRows {
  readonly #words: number;
  #rows: CheckpointRows;
  #count = 0;

  /** @param words 32-bit words of each balance */
  constructor(words: number) {
    this.#words = words;
    this.#rows = emptyRows(1_024, words);
  }

  /** Keeps a row, and returns its number: they ascend. */
  add(batch: CheckpointRows, row: number): number {
    if (this.#count === this.#rows.rows) this.#grow();
    copyRow(batch, row, this.#rows, this.#count, this.#words);
    return this.#count++;
  }

  /** Lets the last row go. */
  drop(): void {
    this.#count--;
  }

  #grow(): void {
    const before = this.#rows;
    const rows = emptyRows(2 * before.rows, this.#words);
    for (const name of Object.keys(before) as (keyof CheckpointRows)[]) {
      if (name !== "rows") rows[name].set(before[name]);
    }
    this.#rows = rows;
  }

  /** Compares the balances of two rows, exactly. */
  compareBalances(row: number, other: number): number {
    const { balances } = this.#rows;
    for (let word = this.#words - 1; word >= 0; word--) {
      const difference = balances[this.#words * row + word]! - balances[this.#words * other + word]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Some rows, in the order that is given. */
  pick(numbers: Uint32Array): CheckpointRows {
    const picked = emptyRows(numbers.length, this.#words);
    for (let at = 0; at < numbers.length; at++) copyRow(this.#rows, numbers[at]!, picked, at, this.#words);
    return picked;
  }
}

function copyRow(from: CheckpointRows, row: number, into: CheckpointRows, at: number, words: number): void {
  // Byte by byte, as a view of each address takes ten times as long.
  for (let byte = 0; byte < ADDRESS_BYTES; byte++) {
    into.addresses[ADDRESS_BYTES * at + byte] = from.addresses[ADDRESS_BYTES * row + byte]!;
  }
  for (let word = 0; word < words; word++) into.balances[words * at + word] = from.balances[words * row + word]!;
  into.labels[at] = from.labels[row]!;
  into.cohorts[at] = from.cohorts[row]!;
  copyKept(from, row, into, at);
}
