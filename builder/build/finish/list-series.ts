/**
 * The series of the addresses of a list: their events are replayed as if they were a token of their own, and every metric
 * that takes address cohorts has one series. Source: docs/methodology.md §10.
 */

import {
  type CalendarResolution,
  isHourMultiple,
  type MetricName,
  OWN_METRICS,
  type Resolution,
} from "../../../data-schema/registry.ts";
import {
  calendarFlows,
  calendarStates,
  collectDays,
  concatSeries,
  dayStates,
  openBucketsAt,
} from "../../engine/calendar.ts";
import { roundCloses } from "../../engine/closes.ts";
import { ALL_ROWS } from "../../engine/flow-sums.ts";
import { BlockFlows, type MetricSeries, type TimeRange } from "../../engine/flows.ts";
import { BLOCK_METRIC_NAMES } from "../../engine/formulas.ts";
import type { OpenBucket } from "../../engine/history.ts";
import type { Series } from "../../engine/series.ts";
import { readResults } from "../left/results.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { readPartitions } from "../left/runs.ts";
import { NO_STORE, type StageTask } from "../left/task.ts";
import { eventsOf, GROUP_NUMBERS, partsBetween } from "../stages/replayed.ts";
import { RunPoints, readDays } from "../stages/run-points.ts";
import { runTask } from "../stages/task-kinds.ts";
import { runsOfPeriod } from "../stages/write-units.ts";
import { mergeCloses } from "./merge-closes.ts";

/** What a list's tasks share: their own plan, folder and runs. */
export type ListWork = Pick<StageTask, "plan" | "folder" | "runs">;

/** The new points of a list: those since the checkpoint that its plan resumes from. */
export interface ListSeries {
  /** The series of the buckets, or blocks, that begin in a range: the selector of each is the name of its metric. */
  points(resolution: Resolution, range: TimeRange): Promise<Series[]>;
  /** The week and the month that contain a time, the end of the last complete day. */
  openAt(time: number): Record<CalendarResolution, OpenBucket>;
  /** Addresses that hold the token. */
  holders: number;
}

/** Replays a list, one task after the other. */
export async function replayList(work: ListWork): Promise<ListSeries> {
  const { plan, folder, runs } = work;
  for (const kind of ["replay", "flows"] as const) {
    for (let index = 0; index < plan.tasks[kind]; index++) {
      await runTask(kind, { ...work, index, threads: 1, store: NO_STORE });
    }
  }
  const outline = outlineOfRuns(plan, runs);
  const partitions = await readPartitions(folder, plan);
  const days = await readDays(folder, plan);
  const collected = collectDays(days);
  const closes = roundCloses(await mergeCloses(folder, partitions.length), outline);
  const states = [...dayStates(outline, closes, collected)];
  return {
    async points(resolution, range) {
      if (resolution === "hour") return hoursOf(work, range);
      if (resolution === "block") return blocksOf(work, range);
      if (isHourMultiple(resolution)) {
        return asTable([...(resolution === "day" ? states : []), ...days.flatMap((of) => [...of[resolution]])]);
      }
      return asTable([...calendarStates(resolution, states), ...calendarFlows(outline, resolution, collected)]);
    },
    openAt: (time) => openBucketsAt(outline, collected, time),
    holders: partitions.reduce((sum, { holders }) => sum + holders, 0),
  };
}

/** Series of metrics as those of one table, in the order of the registry. */
function asTable(metrics: MetricSeries): Series[] {
  const named = [...metrics].map(([metric, runs]) => runs.map((run) => ({ ...run, selector: metric })));
  return concatSeries(OWN_TABLE, named);
}

/** The metrics of an own cohort, as its objects name their series. */
export const OWN_TABLE: readonly string[] = OWN_METRICS.map(({ name }) => name);

async function hoursOf({ folder, runs }: ListWork, { from, to }: TimeRange): Promise<Series[]> {
  const hours: [MetricName, Series[]][] = [];
  for (const run of runsOfPeriod(runs, { from, to })) {
    const points = await RunPoints.open(folder, run, ["hour"]);
    for (const { name } of OWN_METRICS) hours.push([name, points.hours(name, from, to)]);
  }
  return asTable(hours);
}

async function blocksOf(work: ListWork, range: TimeRange): Promise<Series[]> {
  const { plan, folder, runs } = work;
  const flows = await readResults(folder, plan, "flows");
  const used = flows
    .flatMap(({ blocks }) => blocks)
    .filter(({ day }) => day >= range.from && day < range.to)
    .reduce((sums, { rows }) => sums.map((sum, row) => sum + rows[row]!), new Array<number>(ALL_ROWS).fill(0));
  const series = new BlockFlows(GROUP_NUMBERS, range, used, BLOCK_METRIC_NAMES, "listed");
  for await (const piece of eventsOf(work, partsBetween(runs, range.from, range.to))()) series.add(piece);
  return asTable(series.end());
}
