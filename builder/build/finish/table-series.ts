/**
 * The series of objects that have those of several metrics: of an own cohort; and of the lots of a method, without hours and
 * blocks, which tasks have written.
 */

import {
  type CalendarResolution,
  isHourMultiple,
  type LotMethod,
  type MetricName,
  type Resolution,
} from "../../../data-schema/registry.ts";
import {
  calendarFlows,
  calendarStates,
  collectDays,
  concatSeries,
  dayStates,
  destroyedSoFar,
  openBucketsAt,
} from "../../engine/calendar.ts";
import type { Kept } from "../../engine/closes.ts";
import { ALL_ROWS } from "../../engine/flow-sums.ts";
import { BlockFlows, type DayBlocks, type MetricSeries, type TimeRange } from "../../engine/flows.ts";
import { BLOCK_METRIC_NAMES } from "../../engine/formulas.ts";
import type { OpenBucket, Outline } from "../../engine/history.ts";
import type { Series } from "../../engine/series.ts";
import type { StageTask } from "../left/task.ts";
import { eventsOf, GROUP_NUMBERS, partsBetween } from "../stages/replayed.ts";
import { RunPoints, readDays } from "../stages/run-points.ts";
import { runsOfPeriod } from "../stages/write/write-units.ts";

/** What the tasks of a table share. */
export type TableWork = Pick<StageTask, "plan" | "folder" | "runs">;

/** What an object has the series of. */
export interface SeriesTable {
  metrics: readonly MetricName[];
  /** The names of all series, in their order. */
  order: readonly string[];
  nameOf(metric: MetricName, selector: string): string;
  /** The method of lots that they are of; absent of a list. */
  method?: LotMethod;
}

/** New points: those since the checkpoint of the outline. */
export interface TableSeries {
  /** The series of the buckets, or blocks, that begin in a range. */
  points(resolution: Resolution, range: TimeRange): Promise<Series[]>;
  /** The week and the month that contain a time, the end of the last complete day. */
  openAt(time: number): Record<CalendarResolution, OpenBucket>;
  /** All `coin_days_destroyed` up to the end of a day that begins at a time, in token-days. */
  destroyedUntil(day: number): number;
}

/** @param blocks in how many blocks of each day each row of sums is used */
export async function tableSeries(
  work: TableWork,
  outline: Outline,
  closes: Kept<Float64Array>,
  blocks: readonly DayBlocks[],
  table: SeriesTable,
): Promise<TableSeries> {
  const days = await readDays(work.folder, work.plan, table.method);
  const collected = collectDays(days);
  const states = [...dayStates(outline, closes, collected)];
  return {
    async points(resolution, range) {
      if (resolution === "hour") return hoursOf(work, range, table);
      if (resolution === "block") return blocksOf(work, outline, range, blocks, table);
      if (isHourMultiple(resolution)) {
        const flows = days.flatMap((of) => [...of[resolution]]);
        return asTable(table, [...(resolution === "day" ? states : []), ...flows]);
      }
      return asTable(table, [...calendarStates(resolution, states), ...calendarFlows(outline, resolution, collected)]);
    },
    openAt: (time) => openBucketsAt(outline, collected, time),
    destroyedUntil: (day) => destroyedSoFar(outline, collected, Float64Array.of(day))[0]!,
  };
}

/** Series of metrics as those of one table, in its order. */
function asTable({ order, nameOf }: SeriesTable, metrics: MetricSeries): Series[] {
  const named = [...metrics].map(([metric, runs]) =>
    runs.map((run) => ({ ...run, selector: nameOf(metric, run.selector) })),
  );
  return concatSeries(order, named);
}

async function hoursOf({ folder, runs }: TableWork, { from, to }: TimeRange, table: SeriesTable): Promise<Series[]> {
  const hours: [MetricName, Series[]][] = [];
  for (const run of runsOfPeriod(runs, { from, to })) {
    const points = await RunPoints.open(folder, run, ["hour"]);
    for (const name of table.metrics) hours.push([name, points.hours(name, from, to)]);
  }
  return asTable(table, hours);
}

async function blocksOf(
  work: TableWork,
  { whose }: Outline,
  range: TimeRange,
  blocks: readonly DayBlocks[],
  table: SeriesTable,
): Promise<Series[]> {
  const used = blocks
    .filter(({ day }) => day >= range.from && day < range.to)
    .reduce((sums, { rows }) => sums.map((sum, row) => sum + (rows[row] ?? 0)), new Array<number>(ALL_ROWS).fill(0));
  const series = new BlockFlows(GROUP_NUMBERS, range, used, BLOCK_METRIC_NAMES, whose);
  const parts = partsBetween(work.runs, range.from, range.to);
  for await (const piece of eventsOf(work, parts)()) series.add(piece);
  return asTable(table, series.end());
}
