/** The periods that series objects cover, and those that a build computes. Source: docs/formats.md. */

import {
  BLOCK_PERIOD_ROWS,
  byCalendar,
  byHourMultiple,
  type HourMultiple,
  monthStart,
  nextMonthStart,
  nextYearStart,
  periodName,
  RESOLUTION_FACTS,
  type Resolution,
  type WholeResolution,
  yearStart,
} from "../../../data-schema/registry.ts";
import type { Manifest, ManifestPeriod } from "../../../data-schema/stored.ts";
import { SUM_ROWS } from "../flow-sums.ts";
import type { DayBlocks, TimeRange } from "../flows.ts";
import type { OpenBlocks } from "../history/checkpoint.ts";
import { bucketRange, newBuckets, type Outline } from "../history/outline.ts";

export interface Period extends TimeRange {
  name: string;
}

const named = (resolution: Resolution, { from, to }: TimeRange): Period => ({
  name: periodName(resolution, from),
  from,
  to,
});

/** One period from the first bucket to the last complete one; none when no bucket is complete. */
function wholePeriods(outline: Outline, resolution: WholeResolution): Period[] {
  const range = bucketRange(outline, resolution);
  return range ? [named(resolution, { from: range.first, to: RESOLUTION_FACTS[resolution].start(range.last, 1) })] : [];
}

/**
 * Calendar years, from the one of the first hour to the one of the last complete hour; without those that ended before the
 * outline's checkpoint.
 */
export function hourPeriods(outline: Outline): Period[] {
  const hours = bucketRange(outline, "hour");
  return hours ? years(hours.first, hours.last).filter((period) => isOpen(outline, period)) : [];
}

const isOpen = ({ checkpoint }: Outline, { to }: { to: number }) => !checkpoint || to > checkpoint.time;

/** How many rows the densest series of a block period has before it is cut. */
export interface BlockPeriodRows {
  /** How many rows a period that ends with a month has at least. */
  full: number;
  /** How many rows a period that ends with any other day has at least. */
  crowded: number;
}

/**
 * The block periods, each ending where its densest series has enough rows. Leaves out the periods that ended before the
 * outline's checkpoint.
 *
 * @param days those after the checkpoint
 * @param limits fewer rows, so that tests cut small histories
 */
export function blockPeriods(
  outline: Outline,
  days: readonly DayBlocks[],
  limits: BlockPeriodRows = BLOCK_PERIOD_ROWS,
): Period[] {
  const { first, last } = outline.totals;
  if (!first || !last) return [];
  const { ended, open } = cutBlocks(outline, days, RESOLUTION_FACTS.day.start(outline.parameters.asOf), limits);
  const ranges = open.from <= last.t ? [...ended, { from: open.from, to: nextMonthStart(last.t) }] : ended;
  return ranges.map((range) => named("block", range));
}

/** The block period that is open at a time, the end of a day. */
export function openBlocksAt(
  outline: Outline,
  days: readonly DayBlocks[],
  time: number,
  limits: BlockPeriodRows = BLOCK_PERIOD_ROWS,
): OpenBlocks {
  return cutBlocks(outline, days, time, limits).open;
}

/** Cuts the blocks before a time, the end of a day, into periods. */
function cutBlocks(
  { checkpoint, totals }: Outline,
  days: readonly DayBlocks[],
  until: number,
  { full, crowded }: BlockPeriodRows,
): { ended: TimeRange[]; open: OpenBlocks } {
  const rowsOf = new Map(days.map(({ day, rows }) => [day, rows]));
  const ended: TimeRange[] = [];
  let { from, rows } = checkpoint?.openBlocks ?? { from: monthStart(totals.first!.t), rows: NO_ROWS };
  // The checkpoint's period had not ended at its time.
  for (let day = checkpoint?.time ?? from; day < until; day = RESOLUTION_FACTS.day.start(day, 1)) {
    const added = rowsOf.get(day);
    if (added) rows = rows.map((count, row) => count + added[row]!);
    const to = RESOLUTION_FACTS.day.start(day, 1);
    if (Math.max(...rows) < (to === monthStart(to) ? full : crowded)) continue;
    ended.push({ from, to });
    [from, rows] = [to, NO_ROWS];
  }
  return { ended, open: { from, rows } };
}

const NO_ROWS = Array.from({ length: SUM_ROWS }, () => 0);

/** The calendar years from the one of `first` to the one of `last`. */
function years(first: number, last: number): Period[] {
  const periods: Period[] = [];
  for (let from = yearStart(first); from <= last; from = nextYearStart(from)) {
    periods.push(named("hour", { from, to: nextYearStart(from) }));
  }
  return periods;
}

/** The periods that a build computes. A resolution that the asset omits has no entry. */
export interface BuildPeriods extends Record<WholeResolution, Period[]> {
  hour?: Period[];
  block?: Period[];
  /**
   * Periods to which nothing is added, as in the last build's manifest: those that ended before the checkpoint, and all
   * weeks or months if none has become complete since.
   */
  sealed: Record<Exclude<Resolution, HourMultiple>, ManifestPeriod[]>;
}

/**
 * @param days those after the outline's checkpoint
 * @param published manifest of the build that left that checkpoint
 */
export function buildPeriods(
  outline: Outline,
  days: readonly DayBlocks[],
  resolutions: readonly Resolution[],
  published?: Manifest,
): BuildPeriods {
  const { checkpoint } = outline;
  const earlier: Partial<Manifest["resolutions"]> = checkpoint && published ? published.resolutions : {};
  return {
    ...byHourMultiple((resolution) => wholePeriods(outline, resolution)),
    ...(resolutions.includes("hour") ? { hour: hourPeriods(outline) } : {}),
    ...(resolutions.includes("block") ? { block: blockPeriods(outline, days) } : {}),
    ...byCalendar((resolution) => (newBuckets(outline, resolution) ? wholePeriods(outline, resolution) : [])),
    sealed: {
      hour: (earlier.hour?.periods ?? []).filter((period) => !isOpen(outline, period)),
      block: (earlier.block?.periods ?? []).filter(({ from }) => checkpoint && from < checkpoint.openBlocks.from),
      ...byCalendar((resolution) => (newBuckets(outline, resolution) ? [] : (earlier[resolution]?.periods ?? []))),
    },
  };
}
