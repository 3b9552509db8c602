/** The periods that series objects cover, and those that a build computes. Source: docs/formats.md. */

import type { Manifest, ManifestPeriod } from "../../data-schema/manifest.ts";
import {
  BLOCK_PERIOD_ROWS,
  BUCKET_START,
  type CalendarResolution,
  monthStart,
  nextMonthStart,
  nextYearStart,
  periodName,
  type Resolution,
  yearStart,
} from "../../data-schema/resolutions.ts";
import type { BlockTime, OpenBlocks } from "./checkpoint.ts";
import { countBlockRows, type TimeRange } from "./flows.ts";
import { bucketRange, firstRowAt, newBuckets, type Timeline } from "./timeline.ts";

export interface Period extends TimeRange {
  name: string;
}

const named = (resolution: Resolution, { from, to }: TimeRange): Period => ({
  name: periodName(resolution, from),
  from,
  to,
});

/** One period from the first bucket to the last complete one; none when no bucket is complete. */
function wholePeriods(timeline: Timeline, resolution: "day" | CalendarResolution): Period[] {
  const range = bucketRange(timeline, resolution);
  return range ? [named(resolution, { from: range.first, to: BUCKET_START[resolution](range.last, 1) })] : [];
}

/** Calendar years, from the one of the first hour to the one of the last complete hour. */
function hourPeriods(timeline: Timeline): Period[] {
  const hours = bucketRange(timeline, "hour");
  return hours ? years(hours.first, hours.last) : [];
}

/**
 * Runs of months, each ending at the end of the month in which its densest series reaches `BLOCK_PERIOD_ROWS` rows.
 * Leaves out the periods that were full before the timeline's checkpoint. Needs the results of the replay.
 *
 * @param fullRows fewer rows, so that tests cut small histories
 */
export function blockPeriods(timeline: Timeline, fullRows = BLOCK_PERIOD_ROWS): Period[] {
  const { first, last } = timeline.totals;
  if (!first || !last) return [];
  const ranges: TimeRange[] = [];
  let from = firstOpen(timeline, first);
  for (const to of monthEnds(from, last.t)) {
    if (!isFull(timeline, { from, to }, fullRows)) continue;
    ranges.push({ from, to });
    from = to;
  }
  if (from <= last.t) ranges.push({ from, to: nextMonthStart(last.t) });
  return ranges.map((range) => named("block", range));
}

/** The block period that is open at a time, the end of a day. Needs the results of the replay. */
export function openBlocksAt(timeline: Timeline, time: number, fullRows = BLOCK_PERIOD_ROWS): OpenBlocks {
  let from = firstOpen(timeline, timeline.totals.first!);
  for (const to of monthEnds(from, time)) if (isFull(timeline, { from, to }, fullRows)) from = to;
  return { from, rows: countRows(timeline, { from, to: time }) };
}

const firstOpen = ({ checkpoint }: Timeline, first: BlockTime) => checkpoint?.openBlocks.from ?? monthStart(first.t);

/** The ends of the months that begin at or after `from` and end at or before `until`. */
function* monthEnds(from: number, until: number): Generator<number> {
  for (let to = nextMonthStart(from); to <= until; to = nextMonthStart(to)) yield to;
}

function isFull(timeline: Timeline, range: TimeRange, fullRows: number): boolean {
  // The checkpoint's period was not full at its time.
  if (timeline.checkpoint && range.to <= timeline.checkpoint.time) return false;
  // The densest series has at most as many rows as there are blocks and, since transfers are a series, at least as many
  // as there are blocks with transfers. These bounds are quick to count, and usually decide.
  const { blocks, withTransfers } = countBlocks(timeline, range);
  if (Math.max(0, ...knownRows(timeline, range)) + blocks < fullRows) return false;
  return withTransfers >= fullRows || Math.max(...countRows(timeline, range)) >= fullRows;
}

/** The number of blocks of a time range in which each row of sums is used. */
function countRows(timeline: Timeline, range: TimeRange): number[] {
  const known = knownRows(timeline, range);
  return countBlockRows(timeline, range).map((rows, row) => rows + (known[row] ?? 0));
}

/** The blocks before the checkpoint, per row of sums, of a time range that was open then. */
function knownRows({ checkpoint }: Timeline, { from }: TimeRange): readonly number[] {
  return checkpoint?.openBlocks.from === from ? checkpoint.openBlocks.rows : [];
}

function countBlocks(
  { history, tokens }: Timeline,
  { from, to }: TimeRange,
): { blocks: number; withTransfers: number } {
  const end = firstRowAt(history, to);
  let [blocks, withTransfers] = [0, 0];
  let [block, blockWithTransfer] = [-1, -1];
  for (let row = firstRowAt(history, from); row < end; row++) {
    if (history.block[row] !== block) {
      block = history.block[row]!;
      blocks++;
    }
    if (block !== blockWithTransfer && tokens[row] !== 0 && history.from[row] !== 0 && history.to[row] !== 0) {
      blockWithTransfer = block;
      withTransfers++;
    }
  }
  return { blocks, withTransfers };
}

/**
 * The calendar years with events, over which flows are added up to hours and days. After a checkpoint, these begin with
 * the checkpoint's year.
 */
export function flowYears({ checkpoint, totals: { first, last } }: Timeline): Period[] {
  if (!first || !last) return [];
  return checkpoint ? years(checkpoint.time, Math.max(checkpoint.time, last.t)) : years(first.t, last.t);
}

/** The calendar years from the one of `first` to the one of `last`. */
function years(first: number, last: number): Period[] {
  const periods: Period[] = [];
  for (let from = yearStart(first); from <= last; from = nextYearStart(from)) {
    periods.push(named("hour", { from, to: nextYearStart(from) }));
  }
  return periods;
}

/** The periods that a build computes. A resolution that the asset omits has no entry. */
export interface BuildPeriods {
  /** Years whose events are added up to hours and days. */
  years: Period[];
  day: Period[];
  hour?: Period[];
  block?: Period[];
  week: Period[];
  month: Period[];
  /**
   * Periods to which nothing is added, as in the last build's manifest: those that ended before the checkpoint, and all
   * weeks or months if none has become complete since.
   */
  sealed: Record<Exclude<Resolution, "day">, ManifestPeriod[]>;
}

/** @param published manifest of the build that left the timeline's checkpoint */
export function buildPeriods(
  timeline: Timeline,
  resolutions: readonly Resolution[],
  published?: Manifest,
): BuildPeriods {
  const { checkpoint } = timeline;
  const { hour, block, week, month } = checkpoint && published ? published.resolutions : {};
  const isOpen = ({ to }: { to: number }) => !checkpoint || to > checkpoint.time;
  const calendar = (resolution: CalendarResolution) =>
    newBuckets(timeline, resolution) ? wholePeriods(timeline, resolution) : [];
  const sealed = (resolution: CalendarResolution, periods: ManifestPeriod[] = []) =>
    newBuckets(timeline, resolution) ? [] : periods;
  return {
    years: flowYears(timeline),
    day: wholePeriods(timeline, "day"),
    ...(resolutions.includes("hour") ? { hour: hourPeriods(timeline).filter(isOpen) } : {}),
    ...(resolutions.includes("block") ? { block: blockPeriods(timeline) } : {}),
    week: calendar("week"),
    month: calendar("month"),
    sealed: {
      hour: (hour?.periods ?? []).filter((period) => !isOpen(period)),
      block: (block?.periods ?? []).filter(({ from }) => checkpoint && from < checkpoint.openBlocks.from),
      week: sealed("week", week?.periods),
      month: sealed("month", month?.periods),
    },
  };
}
