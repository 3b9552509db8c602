/** The smallest and the largest value of windows, in linear time. */

/** Whether a value replaces another one as the extreme. */
type Beats = (value: number, other: number) => boolean;

export const isSmaller: Beats = (value, other) => value <= other;
export const isLarger: Beats = (value, other) => value >= other;

/** The extreme of each n values up to a row; NaN where one of them is missing. */
export function rollingExtreme(x: Float64Array, n: number, beats: Beats): Float64Array {
  // Rows that may still become the extreme, each with a worse value than the one before it: from `first` to `end`.
  const rows = new Uint32Array(x.length);
  let [first, end, missing] = [0, 0, -1];
  return x.map((value, row) => {
    if (!Number.isFinite(value)) missing = row;
    else {
      while (end > first && beats(value, x[rows[end - 1]!]!)) end--;
      rows[end++] = row;
    }
    while (first < end && rows[first]! <= row - n) first++;
    return row - missing >= n ? x[rows[first]!]! : Number.NaN;
  });
}

/** The extreme of all values up to a row. Missing ones are left out; NaN before the first. */
export function expandingExtreme(x: Float64Array, beats: Beats): Float64Array {
  let extreme = Number.NaN;
  return x.map((value) => {
    if (Number.isFinite(value) && (Number.isNaN(extreme) || beats(value, extreme))) extreme = value;
    return extreme;
  });
}
