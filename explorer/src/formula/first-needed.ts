/** How much history a formula needs. */

import type { Resolution } from "../api/catalog.ts";

/**
 * The time from which a formula's series are needed so that its first values have all the rows that they depend on. All
 * days, weeks and months, which are few; of blocks, only those of the range: how long a number of them takes, nobody knows before.
 */
export function firstNeeded(since: number | null, reach: number, resolution: Resolution): number | null {
  if (since === null || reach === 0 || resolution === "block") return since;
  return resolution === "hour" && Number.isFinite(reach) ? since - reach * 3600 : null;
}
