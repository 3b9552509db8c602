/** How long the data of the last nights took to become available. Pure. */

import { type ChangeEntry, MAX_NIGHTS } from "../../../data-schema/stored/changes.ts";

type Nights = ChangeEntry["nights"];

/**
 * The nights up to an activation: of each its as-of, and the seconds from then until a build of it was activated for the
 * first time. A rollback, or another build of the same as-of, is not a night.
 *
 * @param asOf ISO 8601
 */
export function nightsUpTo(asOf: string, now: Date, before: Nights = []): Nights {
  const end = Date.parse(asOf) / 1000;
  if (end <= (before.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY)) return before;
  const latency = Math.max(0, Math.round(now.getTime() / 1000 - end));
  return [...before, [end, latency] satisfies [number, number]].slice(-MAX_NIGHTS);
}
