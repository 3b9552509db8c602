/** Parts of slices. */

import type { Slice } from "../../../data-schema/parquet.ts";
import { firstIndex } from "../../../data-schema/search.ts";

/** The points with since ≤ t ≤ until, as views of the same memory. Times in Unix seconds. */
export function within({ t, v }: Slice, since: number, until: number): Slice {
  const from = firstIndex(t.length, (index) => t[index]! >= since);
  const to = firstIndex(t.length, (index) => t[index]! > until);
  return { t: t.subarray(from, to), v: v.subarray(from, to) };
}

/** The first index whose number is at least as great as a bound, among ascending ones; their count if there is none. */
export function firstAtOrAfter(ascending: Float64Array, bound: number): number {
  return firstIndex(ascending.length, (index) => ascending[index]! >= bound);
}
