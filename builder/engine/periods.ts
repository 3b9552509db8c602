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
import { densestBlockSeries, type Stretch } from "./flows.ts";
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

/** Runs of months, each ending once its densest series has `BLOCK_PERIOD_ROWS` rows; after the replay. */
export function blockPeriods(timeline: Timeline): Period[] {
  if (timeline.firstRow === timeline.endRow) return [];
  const { timestamp } = timeline.history;
  const last = timestamp[timeline.endRow - 1];
  const periods: Period[] = [];
  let from = monthStart(timestamp[timeline.firstRow]);
  for (let to = nextMonthStart(from); ; to = nextMonthStart(to)) {
    const ended = to > last;
    if (ended || isFull(timeline, { from, to })) {
      periods.push(named("block", { from, to }));
      from = to;
    }
    if (ended) return periods;
  }
}

function isFull(timeline: Timeline, stretch: Stretch): boolean {
  // The densest series has no more rows than there are blocks, and no fewer than blocks with transfers, since those
  // are a series: mostly that tells, and is quick.
  const { blocks, withTransfers } = countBlocks(timeline, stretch);
  if (blocks < BLOCK_PERIOD_ROWS) return false;
  return withTransfers >= BLOCK_PERIOD_ROWS || densestBlockSeries(timeline, stretch) >= BLOCK_PERIOD_ROWS;
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

/** Calendar years with events: the stretches over which flows are added up to hours and days. */
export function flowYears({ history: { timestamp }, firstRow, endRow }: Timeline): Period[] {
  return firstRow === endRow ? [] : years(timestamp[firstRow], timestamp[endRow - 1]);
}

/** The calendar years from that of one time to that of another. */
function years(first: number, last: number): Period[] {
  const periods: Period[] = [];
  for (let from = yearStart(first); from <= last; from = nextYearStart(from)) {
    periods.push(named("hour", { from, to: nextYearStart(from) }));
  }
  return periods;
}
