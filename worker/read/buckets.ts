/** The buckets of a resolution. Source: docs/methodology.md §5. */

import { BUCKET_START, type BucketResolution, type Resolution } from "../../data-schema/resolutions.ts";

/** The starts of all buckets that begin between two times, inclusive; Unix seconds. */
export function bucketStarts(resolution: BucketResolution, since: number, until: number): Float64Array {
  const startOf = BUCKET_START[resolution];
  const starts: number[] = [];
  for (let start = startOf(since); start <= until; start = startOf(start, 1)) if (start >= since) starts.push(start);
  return Float64Array.from(starts);
}

/** The length of the shortest bucket in seconds; a block has none. */
export const LEAST_SECONDS: Record<Resolution, number> = {
  day: 86_400,
  hour: 3_600,
  block: 0,
  week: 7 * 86_400,
  month: 28 * 86_400,
};
