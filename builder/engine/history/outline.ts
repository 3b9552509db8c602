/** What every step of a build knows of the history that it works on. */

import { type BucketResolution, monthStart, nextMonthStart, RESOLUTION_FACTS } from "../../../data-schema/registry.ts";
import { wordCount } from "./amounts.ts";
import { type BlockTime, type Checkpoint, NO_EVENTS, type Totals } from "./checkpoint.ts";
import type { AssetParameters, Prices } from "./history.ts";
import { addTotals, type DayTally } from "./tally.ts";
import type { CohortScope } from "./whose.ts";

export interface Outline {
  prices: Prices;
  parameters: AssetParameters;
  /** Whose events these are. */
  whose: CohortScope;
  /** Where the replay resumes; without one it starts from nothing. */
  checkpoint?: Checkpoint;
  /** 32-bit words per value of an event, enough for the largest. */
  valueWords: number;
  /** 32-bit words per balance. */
  balanceWords: number;
  /** The totals of the whole history, including the events before the checkpoint. */
  totals: Totals;
  /** The totals of the events before the end of the last complete day. */
  totalsAtLastClose: Totals;
  /** The last event before the end of the last complete day, whether it counts or not; undefined if there is none. */
  lastEvent: BlockTime | undefined;
}

/**
 * @param leastBalanceWords for a list, whose addresses may hold more than was minted to them
 * @param days of the events after the checkpoint and before `asOf`, ascending
 */
export function outlineOf(
  {
    prices,
    parameters,
    whose = "all",
    checkpoint,
    valueWords,
    leastBalanceWords = 0,
  }: Pick<Outline, "prices" | "parameters" | "checkpoint" | "valueWords"> & {
    whose?: CohortScope;
    leastBalanceWords?: number;
  },
  days: readonly DayTally[],
): Outline {
  const complete = days.filter(({ day }) => day < RESOLUTION_FACTS.day.start(parameters.asOf));
  const before = checkpoint?.totals ?? NO_EVENTS;
  const totals = addTotals(before, days);
  return {
    prices,
    parameters,
    whose,
    valueWords,
    totals,
    ...(checkpoint && { checkpoint }),
    // No balance exceeds what was minted. The value of an overdraft can, and must fit too.
    balanceWords: Math.max(valueWords, wordCount(totals.minted), leastBalanceWords),
    totalsAtLastClose: addTotals(before, complete),
    lastEvent: complete.at(-1)?.end ?? checkpoint?.lastEvent,
  };
}

/** The starts, in Unix seconds, of the first bucket and of the last complete one. */
export interface BucketRange {
  first: number;
  last: number;
}

/** The buckets that are published; undefined when none is complete. Source: docs/methodology.md §1 and §5. */
export function bucketRange({ totals, parameters }: Outline, resolution: BucketResolution): BucketRange | undefined {
  if (!totals.first) return undefined;
  const startOf = RESOLUTION_FACTS[resolution].start;
  const first = startOf(totals.first.t);
  const last = startOf(parameters.asOf, -1);
  return last < first ? undefined : { first, last };
}

/** The buckets that are published, except those that were complete at the checkpoint. */
export function newBuckets(outline: Outline, resolution: BucketResolution): BucketRange | undefined {
  const all = bucketRange(outline, resolution);
  if (!all) return undefined;
  const { checkpoint } = outline;
  const first = checkpoint ? Math.max(all.first, RESOLUTION_FACTS[resolution].start(checkpoint.time)) : all.first;
  return all.last < first ? undefined : { first, last: all.last };
}

/** The starts of the months of the whole history, ascending, and of one after it. */
export function monthsOf({ totals, parameters }: Outline): number[] {
  const months = [monthStart(totals.first?.t ?? parameters.asOf)];
  while (months.at(-1)! < parameters.asOf) months.push(nextMonthStart(months.at(-1)!));
  return months;
}
