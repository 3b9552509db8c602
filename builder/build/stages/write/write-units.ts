/** What the tasks `hours` and `blocks` write. */

import type { LotMethod, MetricName } from "../../../../data-schema/registry.ts";
import { hourPeriods, type Period } from "../../../engine/calendar.ts";
import { ENTRY_BYTES, entriesOf } from "../../../engine/flow-sums.ts";
import type { TimeRange } from "../../../engine/flows.ts";
import { BLOCK_METRIC_NAMES, FLOW_FORMULAS, type FlowMetricName, flowsOf } from "../../../engine/formulas.ts";
import type { Checkpoint } from "../../../engine/history.ts";
import type { Cuts, RunFacts } from "../../left/facts.ts";
import { readResults } from "../../left/results.ts";
import { outlineOfRuns } from "../../left/run-outline.ts";
import { lotMethods, type StagePlan } from "../../left/stage-plan.ts";
import type { StageTask } from "../../left/task.ts";
import { partsBetween } from "../replayed.ts";

/** Some metrics of a period. */
export interface PeriodUnit {
  resolution: "hour" | "block";
  period: Period;
  metrics: readonly MetricName[];
  /** For blocks, in how many of the new ones each row of sums (flow-sums.ts) is used. */
  used?: readonly number[];
}

/** All metrics of the lots of a method in a period: they are in one object. */
export interface LotUnit extends Pick<PeriodUnit, "resolution" | "period"> {
  method: LotMethod;
}

export type WriteUnit = PeriodUnit | LotUnit | { checkpoint: Checkpoint };

const METRICS_OF = { block: BLOCK_METRIC_NAMES, hour: [...flowsOf("hour"), "price"] } as const;

/** Tasks that share the metrics of a period which extends published objects. */
const SHARES = 4;

/** What a task `hours` makes: it depends on nothing but the flows of the runs of its years. */
export function hourUnits({ plan, runs, index }: Pick<StageTask, "plan" | "runs" | "index">): (PeriodUnit | LotUnit)[] {
  const periods = hourPeriods(outlineOfRuns(plan, runs));
  return every([...periodUnits(plan, "hour", periods), ...lotUnits(plan, "hour", periods)], plan.tasks.hours, index);
}

/** The runs whose flows a task `hours` needs. */
export const hourRuns = (task: Pick<StageTask, "plan" | "runs" | "index">): number[] => [
  ...new Set(hourUnits(task).flatMap(({ period }) => runsOfPeriod(task.runs, period))),
];

/** What a task `blocks` makes: first that which takes longest. */
export async function blockUnits({ plan, folder, index }: StageTask): Promise<WriteUnit[]> {
  const [cuts] = await readResults(folder, plan, "periods");
  const { checkpoint } = cuts!;
  const units = [
    ...(checkpoint ? [{ checkpoint }] : []),
    ...blockPeriodUnits(plan, cuts!),
    ...lotUnits(plan, "block", cuts!.periods.block),
  ];
  return every(units, plan.tasks.blocks, index);
}

/** The plan sets the number of tasks before the units are known, so these are dealt out in turn. */
const every = <T>(units: readonly T[], tasks: number, task: number) => units.filter((_, i) => i % tasks === task);

const blockPeriodUnits = (plan: StagePlan, { periods, blockEntries }: Cuts) =>
  periodUnits(plan, "block", periods.block ?? [], blockEntries);

const lotUnits = (plan: StagePlan, resolution: "hour" | "block", periods: readonly Period[] = []): LotUnit[] =>
  lotMethods(plan).flatMap((method) => periods.map((period) => ({ resolution, period, method })));

function periodUnits(
  plan: StagePlan,
  resolution: "hour" | "block",
  periods: readonly Period[],
  blockEntries: Cuts["blockEntries"] = {},
): PeriodUnit[] {
  return periods.flatMap((period) => {
    const used = blockEntries[period.name];
    const metrics = METRICS_OF[resolution];
    const most = hasBegun(plan, period) ? Math.ceil(metrics.length / SHARES) : metrics.length;
    return sharesOf(plan, metrics, most, used).map((metrics) => {
      return { resolution, period, metrics, ...(used && { used }) };
    });
  });
}

/** Bytes that an entry of a family's sums takes in the series of one of its metrics. */
const POINT_BYTES = 48;

/**
 * Divides the metrics of a period, if their sums would not fit the memory of a task; and if there are more than `most`: a
 * period that extends published objects has few new events, and takes most of its time for the points before, metric by
 * metric.
 */
function sharesOf(
  plan: StagePlan,
  metrics: readonly MetricName[],
  most: number,
  used: readonly number[] = [],
): MetricName[][] {
  const shares: MetricName[][] = [[]];
  for (const metric of metrics) {
    const share = shares.at(-1)!;
    const isFull = share.length === most || bytesOf([...share, metric], used) > plan.taskBytes;
    if (share.length > 0 && isFull) shares.push([metric]);
    else share.push(metric);
  }
  return shares;
}

function bytesOf(metrics: readonly MetricName[], used: readonly number[]): number {
  const families = new Set(metrics.flatMap((name) => FLOW_FORMULAS[name as FlowMetricName]?.[0] ?? []));
  const entries = Array.from(families, (family) => entriesOf(family, used));
  return entries.reduce((sum, count) => sum + ENTRY_BYTES * count, POINT_BYTES * Math.max(0, ...entries));
}

/** Bytes that the largest unit of blocks takes; one of lots has its sums in a file, and takes less. */
export function blockBytes(plan: StagePlan, cuts: Cuts): number {
  return Math.max(0, ...blockPeriodUnits(plan, cuts).map(({ metrics, used }) => bytesOf(metrics, used!)));
}

/** Whether the last build has published points of a period, which the new ones extend. */
export const hasBegun = ({ resume }: Pick<StagePlan, "resume">, { from }: Period): boolean =>
  resume !== undefined && from < resume.checkpoint.time;

/** The runs in which days of a period begin. */
export function runsOfPeriod(runs: readonly RunFacts[], { from, to }: TimeRange): number[] {
  return partsBetween(runs, from, to).map(({ run }) => run);
}
