/** The buckets of a resolution. Source: docs/methodology.md §5. */

import { type BucketResolution, RESOLUTION_FACTS } from "./resolutions.ts";

/** The starts of all buckets that begin between two times, inclusive; Unix seconds. */
export function bucketStarts(resolution: BucketResolution, since: number, until: number): Float64Array {
  const startOf = RESOLUTION_FACTS[resolution].start;
  const starts: number[] = [];
  for (let start = startOf(since); start <= until; start = startOf(start, 1)) if (start >= since) starts.push(start);
  return Float64Array.from(starts);
}
