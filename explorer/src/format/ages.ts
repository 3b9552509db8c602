/** Lengths of time in words, and how old data is. */

import { MOST_AGE_SECONDS } from "../../../data-schema/stored.ts";
import { DAY_SECONDS, isoTimeWithoutZone } from "../../../data-schema/text.ts";
import type { Asset } from "../api/catalog.ts";
import { dateText, parseTime } from "./time.ts";

/** `3 days`, `30 hours`, `23 minutes`: whole units of the largest of which there are two. */
export function spanText(seconds: number): string {
  const [unit, name] =
    seconds < 7_200 ? [60, "minutes"] : seconds < 2 * DAY_SECONDS ? [3_600, "hours"] : [DAY_SECONDS, "days"];
  return `${Math.floor(seconds / unit)} ${name}`;
}

/**
 * `data up to 25 Nov 2026, 17 hours ago`, the last day that is in; or within a day `data up to 14:00 UTC, 23 minutes ago`.
 * And whether that is longer ago than it should be.
 */
export function ageOf({ asOf, freshness }: Asset): { text: string; isStale: boolean } {
  const time = parseTime(asOf);
  const age = Math.max(0, Date.now() / 1000 - time);
  const end = time % DAY_SECONDS === 0 ? dateText(time - DAY_SECONDS) : `${isoTimeWithoutZone(time).slice(11, 16)} UTC`;
  return { text: `data up to ${end}, ${spanText(age)} ago`, isStale: age > MOST_AGE_SECONDS[freshness] };
}
