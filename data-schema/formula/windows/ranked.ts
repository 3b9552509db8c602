/** Statistics of a window's values in their order, such as medians: n values take n · log(window) steps. */

/** Computes a result from the values of a window and the row that was added last. */
type RankedStatistic = (window: RankedWindow, row: number) => number;

export const median: RankedStatistic = (window) => {
  const upper = window.nth(window.size >> 1);
  return window.size % 2 === 1 ? upper : (window.nth((window.size >> 1) - 1) + upper) / 2;
};

/** The value below which a share of the values lies: between two of them, by how far it is. */
export const quantile =
  (share: number): RankedStatistic =>
  (window) => {
    const place = share * (window.size - 1);
    const below = window.nth(Math.floor(place));
    const part = place - Math.floor(place);
    return part === 0 ? below : below + part * (window.nth(Math.floor(place) + 1) - below);
  };

/** The share of the values that are at most the last one; NaN if that is missing. */
export const shareAtMost: RankedStatistic = (window, row) => window.atMost(row) / window.size;

/** A statistic of each n values up to a row; NaN where one of them is missing. */
export function rollingRanked(x: Float64Array, n: number, statistic: RankedStatistic): Float64Array {
  const result = new Float64Array(x.length).fill(Number.NaN);
  // A piece holds the windows that end in n rows, so ranks within it have few digits.
  for (let start = 0; start + n <= x.length; start += n) {
    const piece = x.subarray(start, start + 2 * n - 1);
    const window = new RankedWindow(piece);
    for (let row = 0; row < piece.length; row++) {
      window.add(row);
      if (row >= n) window.remove(row - n);
      if (row >= n - 1 && window.size === n) result[start + row] = statistic(window, row);
    }
  }
  return result;
}

/** A statistic of all values up to a row. Missing ones are left out; NaN before the first. */
export function expandingRanked(x: Float64Array, statistic: RankedStatistic): Float64Array {
  const window = new RankedWindow(x);
  return x.map((_, row) => {
    window.add(row);
    return window.size === 0 ? Number.NaN : statistic(window, row);
  });
}

/** Some of the rows of a column: a Fenwick tree counts them by the rank of their values. */
class RankedWindow {
  size = 0;
  /** The rank of each row, from 1; 0 for a missing value. */
  readonly #rankOf: Uint32Array;
  /** The last rank that has the same value, by rank. */
  readonly #lastEqual: Uint32Array;
  /** Values by rank, from 0. */
  readonly #sorted: Float64Array;
  readonly #counts: Uint32Array;
  readonly #highestBit: number;

  constructor(x: Float64Array) {
    const rows = Array.from(x.keys()).filter((row) => Number.isFinite(x[row]));
    rows.sort((a, b) => x[a]! - x[b]!);
    this.#sorted = Float64Array.from(rows, (row) => x[row]!);
    this.#rankOf = new Uint32Array(x.length);
    for (const [rank, row] of rows.entries()) this.#rankOf[row] = rank + 1;
    this.#lastEqual = new Uint32Array(rows.length + 1);
    for (let rank = rows.length; rank > 0; rank--) {
      const isEqual = rank < rows.length && this.#sorted[rank] === this.#sorted[rank - 1];
      this.#lastEqual[rank] = isEqual ? this.#lastEqual[rank + 1]! : rank;
    }
    this.#counts = new Uint32Array(rows.length + 1);
    this.#highestBit = rows.length === 0 ? 0 : 2 ** Math.floor(Math.log2(rows.length));
  }

  add(row: number): void {
    this.#count(row, 1);
  }

  remove(row: number): void {
    this.#count(row, -1);
  }

  #count(row: number, change: 1 | -1): void {
    const rank = this.#rankOf[row]!;
    if (rank === 0) return;
    this.size += change;
    for (let i = rank; i < this.#counts.length; i += i & -i) this.#counts[i]! += change;
  }

  /** How many values are at most that of a row; NaN if the row has none. */
  atMost(row: number): number {
    const rank = this.#rankOf[row]!;
    if (rank === 0) return Number.NaN;
    let count = 0;
    for (let i = this.#lastEqual[rank]!; i > 0; i -= i & -i) count += this.#counts[i]!;
    return count;
  }

  /** The value with so many smaller ones. */
  nth(smaller: number): number {
    let rank = 0;
    let left = smaller;
    for (let bit = this.#highestBit; bit > 0; bit >>= 1) {
      const count = this.#counts[rank + bit];
      if (count === undefined || count > left) continue;
      rank += bit;
      left -= count;
    }
    return this.#sorted[rank]!;
  }
}
