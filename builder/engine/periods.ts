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

/** How many rows the densest series of a block period has before it is cut. */
export interface BlockPeriodRows {
  /** At the end of a month. */
  full: number;
  /** At the end of any day. */
  crowded: number;
}

/**
 * The block periods, each ending where its densest series has enough rows. Leaves out the periods that ended before the
 * timeline's checkpoint. Needs the results of the replay.
 *
 * @param limits fewer rows, so that tests cut small histories
 */
export function blockPeriods(timeline: Timeline, limits: BlockPeriodRows = BLOCK_PERIOD_ROWS): Period[] {
  const { first, last } = timeline.totals;
  if (!first || !last) return [];
  const ranges = endedPeriods(timeline, firstOpen(timeline, first), startOfDay(timeline.parameters.asOf), limits);
  const from = ranges.at(-1)?.to ?? firstOpen(timeline, first);
  if (from <= last.t) ranges.push({ from, to: nextMonthStart(last.t) });
  return ranges.map((range) => named("block", range));
}

/** The block period that is open at a time, the end of a day. Needs the results of the replay. */
export function openBlocksAt(
  timeline: Timeline,
  time: number,
  limits: BlockPeriodRows = BLOCK_PERIOD_ROWS,
): OpenBlocks {
  const open = firstOpen(timeline, timeline.totals.first!);
  const from = endedPeriods(timeline, open, time, limits).at(-1)?.to ?? open;
  return { from, rows: countRows(timeline, { from, to: time }) };
}

const startOfDay = BUCKET_START.day;

const firstOpen = ({ checkpoint }: Timeline, first: BlockTime) => checkpoint?.openBlocks.from ?? monthStart(first.t);

/** The block periods that begin at `from` or after one another and end at or before `until`. */
function endedPeriods(timeline: Timeline, from: number, until: number, { full, crowded }: BlockPeriodRows) {
  const ended: TimeRange[] = [];
  let counter = new BlockCounter(timeline, from);
  // The checkpoint's period had not ended at its time.
  const first = Math.max(startOfDay(from), timeline.checkpoint?.time ?? 0);
  for (let to = startOfDay(first, 1); to <= until; to = startOfDay(to, 1)) {
    counter.countTo(to);
    const range = { from, to };
    if (!isDense(timeline, range, counter, to === monthStart(to) ? full : crowded)) continue;
    ended.push(range);
    from = to;
    counter = new BlockCounter(timeline, from);
  }
  return ended;
}

/** Whether a series of a block period has so many rows. */
function isDense(timeline: Timeline, range: TimeRange, { blocks, withTransfers }: BlockCounter, rows: number): boolean {
  // The densest series has at most as many rows as there are blocks and, since transfers are a series, at least as many
  // as there are blocks with transfers. These bounds are quick to count, and usually decide.
  if (Math.max(0, ...knownRows(timeline, range)) + blocks < rows) return false;
  return withTransfers >= rows || Math.max(...countRows(timeline, range)) >= rows;
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

/** Counts the blocks with events, and those with transfers, from a time on. */
class BlockCounter {
  blocks = 0;
  withTransfers = 0;
  readonly #timeline: Timeline;
  #row: number;
  #block = -1;
  #blockWithTransfer = -1;

  constructor(timeline: Timeline, from: number) {
    this.#timeline = timeline;
    this.#row = firstRowAt(timeline.history, from);
  }

  countTo(to: number): void {
    const { history, tokens } = this.#timeline;
    const end = firstRowAt(history, to);
    for (; this.#row < end; this.#row++) {
      const row = this.#row;
      const block = history.block[row]!;
      if (block !== this.#block) {
        this.#block = block;
        this.blocks++;
      }
      if (block !== this.#blockWithTransfer && tokens[row] !== 0 && history.from[row] !== 0 && history.to[row] !== 0) {
        this.#blockWithTransfer = block;
        this.withTransfers++;
      }
    }
  }
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
