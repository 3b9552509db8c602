/**
 * The series of the addresses of a list: their events are replayed as if they were a token of their own, and every metric
 * that takes address cohorts has one series. Source: docs/methodology.md §10.
 */

import { OWN_METRICS } from "../../../../data-schema/registry.ts";
import { roundCloses } from "../../../engine/closes.ts";
import { readResults } from "../../left/results.ts";
import { outlineOfRuns } from "../../left/run-outline.ts";
import { readPartitions } from "../../left/runs.ts";
import { NO_STORE } from "../../left/task.ts";
import { runTask } from "../../stages/task-kinds.ts";
import { mergeCloses } from "../merge-closes.ts";
import { type SeriesTable, type TableSeries, type TableWork, tableSeries } from "../table-series.ts";

/** The metrics of an own cohort: its objects name their series by them. */
const METRICS = OWN_METRICS.map(({ name }) => name);
export const OWN_TABLE: SeriesTable = { metrics: METRICS, order: METRICS, nameOf: (metric) => metric };

/** The new points of a list: those since the checkpoint that its plan resumes from. */
export interface ListSeries extends TableSeries {
  /** Addresses that hold the token. */
  holders: number;
}

/** Replays a list, one task after the other. */
export async function replayList(work: TableWork): Promise<ListSeries> {
  const { plan, folder, runs } = work;
  for (const kind of ["replay", "flows"] as const) {
    for (let index = 0; index < plan.tasks[kind]; index++) {
      await runTask(kind, { ...work, index, threads: 1, store: NO_STORE });
    }
  }
  const outline = outlineOfRuns(plan, runs);
  const partitions = await readPartitions(folder, plan);
  const closes = roundCloses(await mergeCloses(folder, partitions.length), outline);
  const flows = await readResults(folder, plan, "flows");
  const blocks = flows.flatMap(({ blocks }) => blocks);
  return {
    ...(await tableSeries(work, outline, closes, blocks, OWN_TABLE)),
    holders: partitions.reduce((sum, { holders }) => sum + holders, 0),
  };
}
