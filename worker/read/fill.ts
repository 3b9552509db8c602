/** Sums are stored without their zeros; reading puts them back. Source: docs/methodology.md §5. */

import type { Slice } from "../../data-schema/parquet.ts";
import type { Lease } from "../budget.ts";
import { damaged } from "../problems/problem.ts";

/** Points that are made at once. */
const PART_POINTS = 8_192;

/**
 * The series with a point in every bucket from first to last.
 *
 * @param slices points between first and last, ascending
 * @param first start of the first bucket, Unix seconds
 * @param last start of the last bucket, Unix seconds; before first if there is no bucket
 * @param step length of a bucket in seconds
 * @param lease frees slices that are not passed on, and counts those that are made
 * @throws {Problem} 500 a point that is not at the start of a bucket, or two of one bucket
 */
export async function* fillZeros(
  slices: AsyncIterable<Slice>,
  first: number,
  last: number,
  step: number,
  lease: Lease,
): AsyncGenerator<Slice> {
  let next = first;
  for await (const slice of slices) {
    const { t } = slice;
    const end = t.at(-1)!;
    if (isComplete(t, next, step)) yield slice;
    else {
      checkBuckets(t, next, step);
      yield* parts(slice, next, end, step, lease);
      lease.free([t, slice.v]);
    }
    next = end + step;
  }
  yield* parts({ t: new Float64Array(), v: new Float64Array() }, next, last, step, lease);
}

/** Whether every bucket has a point, so that there is nothing to fill in. */
function isComplete(t: Float64Array, first: number, step: number): boolean {
  for (let i = 0; i < t.length; i++) {
    if (t[i] !== first + i * step) return false;
  }
  return true;
}

function checkBuckets(t: Float64Array, first: number, step: number): void {
  for (let i = 0, previous = -1; i < t.length; i++) {
    const index = (t[i]! - first) / step;
    if (!Number.isInteger(index) || index <= previous) {
      throw damaged("a point is not the only one at its bucket's start");
    }
    previous = index;
  }
}

/** The points of all buckets from first to last, some at a time: those of a slice, and zeros. */
function* parts({ t, v }: Slice, first: number, last: number, step: number, lease: Lease): Generator<Slice> {
  for (let from = first, i = 0; from <= last; from += PART_POINTS * step) {
    const part = zeros(from, Math.min(Math.floor((last - from) / step) + 1, PART_POINTS), step);
    for (; i < t.length && (t[i]! - from) / step < PART_POINTS; i++) part.v[(t[i]! - from) / step] = v[i]!;
    lease.keep([part.t, part.v]);
    yield part;
  }
}

function zeros(first: number, length: number, step: number): Slice {
  const t = new Float64Array(length);
  for (let i = 0; i < length; i++) t[i] = first + i * step;
  return { t, v: new Float64Array(length) };
}
