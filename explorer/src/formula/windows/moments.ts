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
export interface Moments {
  count: number;
  origin: number;
  sum: DoubleDouble;
  squares: DoubleDouble;
}

/** Of a window's moments and its last value, a result. */
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
  // Sums of the values from an index to the cut, by distance from it.
  const width = Math.min(n, x.length);
  const before = Array.from({ length: 4 }, () => new Float64Array(width));
  const [sumHi, sumLo, squaresHi, squaresLo] = before as [Float64Array, Float64Array, Float64Array, Float64Array];
  const moments: Moments = { count: n, origin: 0, sum: new DoubleDouble(), squares: new DoubleDouble() };
  const { sum, squares } = moments;
  const add = (value: number) => {
    const difference = value - moments.origin;
    sum.add(difference);
    squares.addProduct(difference, difference);
  };
  for (let cut = 0; cut < x.length; cut += n) {
    moments.origin = origin === "value" ? x[cut]! : 0;
    sum.clear();
    squares.clear();
    let missing = -1;
    for (let back = 1; back < n && back <= cut; back++) {
      const value = x[cut - back]!;
      if (!Number.isFinite(value)) {
        missing = back;
        break;
      }
      add(value);
      sumHi[back] = sum.hi;
      sumLo[back] = sum.lo;
      squaresHi[back] = squares.hi;
      squaresLo[back] = squares.lo;
    }
    const reach = missing === -1 ? Math.min(n - 1, cut) : missing - 1;
    const forward = { sum: new DoubleDouble(), squares: new DoubleDouble() };
    for (let row = cut; row < Math.min(cut + n, x.length); row++) {
      const value = x[row]!;
      if (!Number.isFinite(value)) break;
      const difference = value - moments.origin;
      forward.sum.add(difference);
      forward.squares.addProduct(difference, difference);
      const back = n - 1 - (row - cut);
      if (back > reach) continue;
      sum.hi = forward.sum.hi;
      sum.lo = forward.sum.lo;
      squares.hi = forward.squares.hi;
      squares.lo = forward.squares.lo;
      if (back > 0) {
        sum.add(sumHi[back]!);
        sum.add(sumLo[back]!);
        squares.add(squaresHi[back]!);
        squares.add(squaresLo[back]!);
      }
      result[row] = statistic(moments, value);
    }
  }
  return result;
}

/** A statistic of all values up to a row. Missing ones are left out; NaN before the first. */
export function expanding(x: Float64Array, origin: Origin, statistic: Statistic): Float64Array {
  const moments: Moments = { count: 0, origin: 0, sum: new DoubleDouble(), squares: new DoubleDouble() };
  return x.map((value) => {
    if (Number.isFinite(value)) {
      if (moments.count === 0 && origin === "value") moments.origin = value;
      const difference = value - moments.origin;
      moments.count++;
      moments.sum.add(difference);
      moments.squares.addProduct(difference, difference);
    }
    return moments.count === 0 ? Number.NaN : statistic(moments, value);
  });
}
