/**
 * Means and deviations over windows, in linear time.
 *
 * A running sum that adds the new value and subtracts the old keeps the rounding errors of values that have left: after
 * a spike it may be wrong in every digit. Here a sum only ever adds values of its own window. The time line is cut into blocks
 * of a window's length; a window is the end of one block and the beginning of the next, and both have running sums
 * from the cut between them (van Herk's method). Sums have twice the precision of a double, and deviations are taken of differences
 * from a value of the window, so they do not depend on how large the values are.
 */

import { DoubleDouble } from "./double-double.ts";

/** The sums of a window's values less `origin`. */
interface Moments {
  count: number;
  origin: number;
  sum: DoubleDouble;
  squares: DoubleDouble;
}

/** Computes a result from a window's moments and its last value. */
export type Statistic = (moments: Moments, last: number) => number;

export const mean: Statistic = ({ count, origin, sum }) => origin + sum.hi / count;

/** With one degree of freedom less than values (ddof 1). 0 for equal values, NaN for a single one. */
export const deviation: Statistic = ({ count, sum, squares }) => {
  const scaled = new DoubleDouble();
  scaled.addProduct(count, squares.hi);
  scaled.addProduct(count, squares.lo);
  scaled.addProduct(-sum.hi, sum.hi);
  scaled.addProduct(-2 * sum.hi, sum.lo);
  return Math.sqrt(Math.max(0, scaled.hi) / (count * (count - 1)));
};

/** How far the last value is from the mean, in deviations. */
export const standardScore: Statistic = (moments, last) => {
  const { count, origin, sum } = moments;
  const distance = new DoubleDouble();
  distance.addProduct(count, last - origin);
  distance.add(-sum.hi);
  distance.add(-sum.lo);
  return distance.hi / count / deviation(moments, last);
};

/** Whether sums are those of the values themselves, or of differences from one of them. */
type Origin = "zero" | "value";

/** A statistic of each n values up to a row; NaN where one of them is missing. */
export function rolling(x: Float64Array, n: number, origin: Origin, statistic: Statistic): Float64Array {
  const result = new Float64Array(x.length).fill(Number.NaN);
  // The moments of the values from so many rows before a cut up to it.
  const before = new MomentsByRow(Math.min(n, x.length + 1));
  for (let cut = 0; cut < x.length; cut += n) {
    const first = origin === "value" ? x[cut]! : 0;
    const window = newMoments(first);
    let reach = 0;
    while (reach < Math.min(n - 1, cut) && Number.isFinite(x[cut - reach - 1])) {
      include(window, x[cut - ++reach]!);
      before.set(reach, window);
    }
    const after = newMoments(first);
    for (let row = cut; row < Math.min(cut + n, x.length) && Number.isFinite(x[row]); row++) {
      include(after, x[row]!);
      const back = n - after.count;
      if (back > reach) continue;
      before.addTo(window, back, after);
      result[row] = statistic(window, x[row]!);
    }
  }
  return result;
}

/** A statistic of all values up to a row. Missing ones are left out; NaN before the first. */
export function expanding(x: Float64Array, origin: Origin, statistic: Statistic): Float64Array {
  const first = origin === "value" ? (x.find(Number.isFinite) ?? 0) : 0;
  const moments = newMoments(first);
  return x.map((value) => {
    if (Number.isFinite(value)) include(moments, value);
    return moments.count === 0 ? Number.NaN : statistic(moments, value);
  });
}

const newMoments = (origin: number): Moments => ({
  count: 0,
  origin,
  sum: new DoubleDouble(),
  squares: new DoubleDouble(),
});

function include(moments: Moments, value: number): void {
  const difference = value - moments.origin;
  moments.count++;
  moments.sum.add(difference);
  moments.squares.addProduct(difference, difference);
}

/** Moments of many windows, in typed arrays: objects would take ten times the room. */
class MomentsByRow {
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;

  constructor(rows: number) {
    this.#sums = new Float64Array(2 * rows);
    this.#squares = new Float64Array(2 * rows);
  }

  set(row: number, { sum, squares }: Moments): void {
    store(this.#sums, row, sum);
    store(this.#squares, row, squares);
  }

  /** Makes a window of the moments of a row, none of row 0, and of those after it. */
  addTo(window: Moments, row: number, after: Moments): void {
    window.count = row + after.count;
    addStored(window.sum, this.#sums, row, after.sum);
    addStored(window.squares, this.#squares, row, after.squares);
  }
}

function store(array: Float64Array, row: number, { hi, lo }: DoubleDouble): void {
  array[2 * row] = hi;
  array[2 * row + 1] = lo;
}

function addStored(result: DoubleDouble, array: Float64Array, row: number, other: DoubleDouble): void {
  result.hi = other.hi;
  result.lo = other.lo;
  result.add(array[2 * row]!);
  result.add(array[2 * row + 1]!);
}
