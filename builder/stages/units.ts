/** What the tasks of `write` make: the first of them hours, the others what has to wait for `periods`. */

import type { MetricName } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import { FLOW_METRIC_NAMES } from "../engine/formulas.ts";
import { hourPeriods, type Period } from "../engine/periods.ts";
import type { Cuts } from "./cuts.ts";
import { outlineOfRuns } from "./outline.ts";
import type { StagePlan } from "./plan.ts";
import { readResults } from "./results.ts";
import type { RunFacts } from "./run-facts.ts";
import type { StageTask } from "./task.ts";

/** Some metrics of a period. */
export interface PeriodUnit {
  resolution: "hour" | "block";
  period: Period;
  metrics: readonly MetricName[];
}

export type Unit = PeriodUnit | { checkpoint: Checkpoint };

const METRICS_OF = { block: FLOW_METRIC_NAMES, hour: [...FLOW_METRIC_NAMES, "price"] } as const;

/** Tasks that share the metrics of a period which extends published objects. */
const SHARES = 4;

/** What a task of `write` makes. The plan sets the number of tasks before the units are known, so these are dealt out in turn. */
export async function unitsOf({ plan, folder, runs, index }: StageTask): Promise<Unit[]> {
  if (index < plan.hourTasks) return hourUnits(plan, runs, index);
  const [cuts] = await readResults<Cuts>(folder, plan, "periods");
  const { checkpoint, periods } = cuts!;
  // First that which takes longest.
  const units = [...(checkpoint ? [{ checkpoint }] : []), ...periodUnits(plan, "block", periods.block ?? [])];
  return every(units, plan.tasks.write - plan.hourTasks, index - plan.hourTasks);
}

/** What the tasks below `plan.hourTasks` make: it depends on nothing but the flows of the runs of their years. */
export function hourUnits(plan: StagePlan, runs: readonly RunFacts[], task: number): PeriodUnit[] {
  return every(periodUnits(plan, "hour", hourPeriods(outlineOfRuns(plan, runs))), plan.hourTasks, task);
}

const every = <T>(units: readonly T[], tasks: number, task: number) => units.filter((_, i) => i % tasks === task);

function periodUnits(plan: StagePlan, resolution: "hour" | "block", periods: readonly Period[]): PeriodUnit[] {
  return periods.flatMap((period) =>
    sharesOf(plan, period, METRICS_OF[resolution]).map((metrics) => ({ resolution, period, metrics })),
  );
}

/**
 * Divides the metrics of a period among tasks. A period that extends published objects has few new events, and most of
 * the time goes into the points before, metric by metric.
 */
function sharesOf(plan: StagePlan, period: Period, metrics: readonly MetricName[]): (readonly MetricName[])[] {
  if (!hasBegun(plan, period)) return [metrics];
  const size = Math.ceil(metrics.length / SHARES);
  return Array.from({ length: SHARES }, (_, share) => metrics.slice(share * size, (share + 1) * size));
}

/** Whether the last build has published points of a period, which the new ones extend. */
export const hasBegun = ({ resume }: Pick<StagePlan, "resume">, { from }: Period): boolean =>
  resume !== undefined && from < resume.checkpoint.time;

/** The runs in which days of a period begin. */
export function runsOfPeriod(runs: readonly RunFacts[], period: Period): number[] {
  return [...runs.keys()].filter((run) => runs[run]!.days.some((day) => isIn(period, day)));
}

/** The new events of a period. */
export const eventsOfPeriod = (runs: readonly RunFacts[], period: Period): number =>
  runs.flatMap(({ days }) => days.filter((day) => isIn(period, day))).reduce((sum, { rows }) => sum + rows, 0);

const isIn = ({ from, to }: Period, { day }: { day: number }) => day + BUCKET_SECONDS.day > from && day < to;
