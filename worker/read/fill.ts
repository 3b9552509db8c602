/** Sums are stored without their zeros; reading puts them back. Source: docs/methodology.md §5. */

import type { Slice } from "../../data-schema/series.ts";
import { damaged } from "../problems/problem.ts";

/**
 * The series with a point in every bucket from first to last.
 *
 * @param slices points between first and last, ascending
 * @param first start of the first bucket, Unix seconds
 * @param last start of the last bucket, Unix seconds; before first if there is no bucket
 * @param step length of a bucket in seconds
 * @throws {Problem} 500 a point that is not at the start of a bucket, or two of one bucket
 */
export async function* fillZeros(
  slices: AsyncIterable<Slice>,
  first: number,
  last: number,
  step: number,
): AsyncGenerator<Slice> {
  let next = first;
  for await (const { t, v } of slices) {
    if (t.length === 0) continue;
    yield isComplete(t, next, step) ? { t, v } : filled(t, v, next, step);
    next = t.at(-1)! + step;
  }
  if (next <= last) yield zeros(next, last, step);
}

/** Whether every bucket has a point, so that there is nothing to fill in. */
function isComplete(t: Float64Array, first: number, step: number): boolean {
  for (let i = 0; i < t.length; i++) {
    if (t[i] !== first + i * step) return false;
  }
  return true;
}

function filled(t: Float64Array, v: Float64Array, first: number, step: number): Slice {
  const slice = zeros(first, t.at(-1)!, step);
  for (let i = 0, previous = -1; i < t.length; i++) {
    const index = (t[i]! - first) / step;
    if (!Number.isInteger(index) || index <= previous)
      throw damaged("a point is not the only one at its bucket's start");
    slice.v[index] = v[i]!;
    previous = index;
  }
  return slice;
}

function zeros(first: number, last: number, step: number): Slice {
  const length = Math.floor((last - first) / step) + 1;
  const t = new Float64Array(length);
  for (let i = 0; i < length; i++) t[i] = first + i * step;
  return { t, v: new Float64Array(length) };
}
