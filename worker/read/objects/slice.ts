/** Parts of slices. */

import type { Slice } from "../../../data-schema/parquet.ts";

/** The points with since ≤ t ≤ until, as views of the same memory. Times in Unix seconds. */
export function within({ t, v }: Slice, since: number, until: number): Slice {
  const from = firstIndex(t, (time) => time >= since);
  const to = firstIndex(t, (time) => time > until);
  return { t: t.subarray(from, to), v: v.subarray(from, to) };
}

/** The first index at which a condition holds that then holds for all later ones; the length if it never does. */
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

/** The first index whose number is at least as great as a bound, among ascending ones; their count if there is none. */
export function firstAtOrAfter(ascending: Float64Array, bound: number): number {
  return firstIndex(ascending, (number) => number >= bound);
}
