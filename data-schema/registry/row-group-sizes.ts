/** How many rows a row group of a series object has: over-read against footer size. Source: docs/formats.md#series-objects. */

import type { Resolution } from "./resolutions.ts";

/** Rows at most, by resolution, as measured in docs/performance.md. */
export const SERIES_GROUP_ROWS = {
  day: 4_096,
  hour: 8_192,
  block: 16_384,
  week: 4_096,
  month: 4_096,
  /** At any resolution: a reader of any time needs the rows of all buckets. */
  distribution: 32_768,
} as const satisfies Record<Resolution | "distribution", number>;

/** A series begins a row group wherever that leaves none with fewer than this part of those rows. */
export const LEAST_GROUP_DIVISOR = 4;
