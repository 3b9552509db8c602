/** All coin days destroyed so far, which liveliness needs. Source: docs/methodology.md §9. */

import { BUCKET_SECONDS, SINGLE_SERIES } from "../../../data-schema/registry.ts";
import type { Outline } from "../history/outline.ts";
import type { CollectedDays } from "./weeks-and-months.ts";

/**
 * The sums of `coin_days_destroyed` of total up to the end of each day, added up in the order of days from the checkpoint's.
 *
 * @param flows the days after the outline's checkpoint
 * @param starts of days, Unix seconds, ascending
 */
export function destroyedSoFar({ checkpoint }: Outline, flows: CollectedDays, starts: Float64Array): Float64Array {
  const runs = flows.get("coin_days_destroyed")?.get(SINGLE_SERIES) ?? [];
  const days = runs.flatMap(({ t, columns }) => Array.from(t, (start, i) => ({ start, value: columns[0]![i]! })));
  let sum = checkpoint?.coinDaysDestroyed ?? 0;
  let next = 0;
  return starts.map((start) => {
    for (; next < days.length && days[next]!.start < start + BUCKET_SECONDS.day; next++) sum += days[next]!.value;
    return sum;
  });
}
