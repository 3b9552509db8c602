/** Rows of a table that stand for all of them: every n-th from the first, and the last. */

import type { Rows } from "../format/rows-and-pieces.ts";

/** A row: Unix seconds, block number, and a value for each column, NaN where it is missing. */
export interface Row {
  t: number;
  block: number | null;
  values: number[];
}

/** A sample of rows that arrive in chunks. It holds two rows more than `most` at any time. */
export class Sample {
  /** Every n-th row; a power of two. */
  every = 1;
  /** All rows that have arrived. */
  count = 0;
  readonly #most: number;
  #rows: Row[] = [];
  #last: Row | null = null;

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Rows): void {
    const { length } = chunk.t;
    if (length === 0) return;
    for (let row = 0; row < length; row++, this.count++) {
      if (this.count % this.every !== 0) continue;
      this.#rows.push(rowOf(chunk, row));
      if (this.#rows.length > this.#most) this.thin();
    }
    this.#last = rowOf(chunk, length - 1);
  }

  /** Keeps every other row. */
  thin(): void {
    this.every *= 2;
    this.#rows = this.#rows.filter((_, index) => index % 2 === 0);
  }

  /** The rows, ascending. */
  get rows(): readonly Row[] {
    const isLastIn = this.count === 0 || (this.count - 1) % this.every === 0;
    return isLastIn ? this.#rows : [...this.#rows, this.#last!];
  }
}

function rowOf({ t, block, columns }: Rows, row: number): Row {
  return { t: t[row]!, block: block?.[row] ?? null, values: columns.map((column) => column[row]!) };
}
