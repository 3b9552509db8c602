/** Sums are stored without their zeros; here they come back. Source: methodology §5. */

import { damaged } from "../problems.ts";
import type { Slice } from "./slice.ts";

/**
 * The same series with a point in every bucket from first to last.
 *
 * @param slices points between first and last, ascending
 * @param first start of the first bucket, Unix seconds
 * @param last start of the last bucket, Unix seconds; before first: there is none
 * @param step length of a bucket in seconds
 * @throws {Problem} 500 a point that does not start a bucket, or two that start the same
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
    const filled = zeros(next, t[t.length - 1]!, step);
    for (let i = 0, previous = -1; i < t.length; i++) {
      const index = (t[i]! - next) / step;
      if (!Number.isInteger(index) || index <= previous) throw damaged("a point is not alone at its bucket's start");
      filled.v[index] = v[i]!;
      previous = index;
    }
    next = t[t.length - 1]! + step;
    yield filled;
  }
  if (next <= last) yield zeros(next, last, step);
}

function zeros(first: number, last: number, step: number): Slice {
  const length = Math.floor((last - first) / step) + 1;
  const t = new Float64Array(length);
  for (let i = 0; i < length; i++) t[i] = first + i * step;
  return { t, v: new Float64Array(length) };
}
