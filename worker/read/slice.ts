/** A run of points of one series, ascending in t. */
export interface Slice {
  /** Unix seconds. */
  readonly t: Float64Array;
  readonly v: Float64Array;
}

/** The points with since ≤ t ≤ until, as views of the same memory. Times in Unix seconds. */
export function within({ t, v }: Slice, since: number, until: number): Slice {
  const from = firstIndex(t, (time) => time >= since);
  const to = firstIndex(t, (time) => time > until);
  return { t: t.subarray(from, to), v: v.subarray(from, to) };
}

/** Where a condition that stays true once it is begins to hold; the length where it never does. */
function firstIndex(t: Float64Array, holds: (time: number) => boolean): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(t[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
