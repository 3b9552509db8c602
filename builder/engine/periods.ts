/** The periods that series objects cover. Source: design "Periods". */

import {
  BLOCK_PERIOD_ROWS,
  BUCKET_SECONDS,
  monthStart,
  nextMonthStart,
  nextYearStart,
  periodName,
  type Resolution,
  yearStart,
} from "../../data-schema/resolutions.ts";
import type { BlockTime, OpenBlocks } from "./checkpoint.ts";
import { countBlockRows, type Stretch } from "./flows.ts";
import { bucketRange, firstRowAt, type Timeline } from "./timeline.ts";

export interface Period extends Stretch {
  name: string;
}

const named = (resolution: Resolution, { from, to }: Stretch): Period => ({
  name: periodName(resolution, from),
  from,
  to,
});

/** One period from the first day to the last complete one; none when no day is complete. */
export function dayPeriods(timeline: Timeline): Period[] {
  const days = bucketRange(timeline, "day");
  return days ? [named("day", { from: days.first, to: days.last + BUCKET_SECONDS.day })] : [];
}

/** Calendar years, from that of the first hour to that of the last complete one. */
export function hourPeriods(timeline: Timeline): Period[] {
  const hours = bucketRange(timeline, "hour");
  return hours ? years(hours.first, hours.last) : [];
}

/**
 * Runs of months, each ending once its densest series has `BLOCK_PERIOD_ROWS` rows; after the replay. Those that were
 * full before the timeline's checkpoint are not among them.
 *
 * @param fullRows fewer, to try the cuts on small histories
 */
export function blockPeriods(timeline: Timeline, fullRows = BLOCK_PERIOD_ROWS): Period[] {
  const { first, last } = timeline.totals;
  if (!first || !last) return [];
  const stretches: Stretch[] = [];
  let from = firstOpen(timeline, first);
  for (const to of monthEnds(from, last.t)) {
    if (!isFull(timeline, { from, to }, fullRows)) continue;
    stretches.push({ from, to });
    from = to;
  }
  if (from <= last.t) stretches.push({ from, to: nextMonthStart(last.t) });
  return stretches.map((stretch) => named("block", stretch));
}

/** The block period that is open at the end of a day; after the replay. */
export function openBlocksAt(timeline: Timeline, time: number, fullRows = BLOCK_PERIOD_ROWS): OpenBlocks {
  let from = firstOpen(timeline, timeline.totals.first!);
  for (const to of monthEnds(from, time)) if (isFull(timeline, { from, to }, fullRows)) from = to;
  return { from, rows: countRows(timeline, { from, to: time }) };
}

const firstOpen = ({ before }: Timeline, first: BlockTime) => before?.openBlocks.from ?? monthStart(first.t);

/** The ends of the months from one time on up to another. */
function* monthEnds(from: number, until: number): Generator<number> {
  for (let to = nextMonthStart(from); to <= until; to = nextMonthStart(to)) yield to;
}

function isFull(timeline: Timeline, stretch: Stretch, fullRows: number): boolean {
  const { before } = timeline;
  // What was not full then is not full now.
  if (before && stretch.to <= before.time) return false;
  const known = before?.openBlocks.from === stretch.from ? Math.max(...before.openBlocks.rows) : 0;
  // The densest series has no more rows than there are blocks, and no fewer than blocks with transfers, since those
  // are a series: mostly that tells, and is quick.
  const { blocks, withTransfers } = countBlocks(timeline, stretch);
  if (known + blocks < fullRows) return false;
  return withTransfers >= fullRows || Math.max(...countRows(timeline, stretch)) >= fullRows;
}

/** How many blocks of a stretch use each row of sums. */
function countRows(timeline: Timeline, stretch: Stretch): number[] {
  const { openBlocks } = timeline.before ?? {};
  const known = openBlocks?.from === stretch.from ? openBlocks.rows : undefined;
  return countBlockRows(timeline, stretch).map((rows, row) => rows + (known?.[row] ?? 0));
}

function countBlocks({ history, tokens }: Timeline, { from, to }: Stretch): { blocks: number; withTransfers: number } {
  const end = firstRowAt(history, to);
  let [blocks, withTransfers] = [0, 0];
  let [block, blockWithTransfer] = [-1, -1];
  for (let row = firstRowAt(history, from); row < end; row++) {
    if (history.block[row] !== block) {
      block = history.block[row];
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
 * Calendar years with events: the stretches over which flows are added up to hours and days. After a checkpoint, its own
 * year and those that follow.
 */
export function flowYears({ before, totals: { first, last } }: Timeline): Period[] {
  if (!first || !last) return [];
  return before ? years(before.time, Math.max(before.time, last.t)) : years(first.t, last.t);
}

/** The calendar years from that of one time to that of another. */
function years(first: number, last: number): Period[] {
  const periods: Period[] = [];
  for (let from = yearStart(first); from <= last; from = nextYearStart(from)) {
    periods.push(named("hour", { from, to: nextYearStart(from) }));
  }
  return periods;
}
