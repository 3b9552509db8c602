/** The buckets of distributions that end with a day. */

import {
  BUCKET_SECONDS,
  DISTRIBUTION_RESOLUTIONS,
  type DistributionResolution,
  RESOLUTION_FACTS,
} from "../../../data-schema/registry.ts";

/** @param day its start, Unix seconds @returns the resolution of each, and its start */
export function* bucketsEnding(day: number): Generator<[DistributionResolution, start: number]> {
  const end = day + BUCKET_SECONDS.day;
  for (const resolution of DISTRIBUTION_RESOLUTIONS) {
    const startOf = RESOLUTION_FACTS[resolution].start;
    if (startOf(end) === end) yield [resolution, startOf(day)];
  }
}
