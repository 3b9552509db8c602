/** Stage `periods`: cuts the history into the periods of its objects, and says which tasks of `write` make them. */

import type { MetricName } from "../../data-schema/metrics.ts";
import { collectDays } from "../engine/calendar.ts";
import { FLOW_METRIC_NAMES } from "../engine/formulas.ts";
import { nextCheckpoint } from "../engine/next-checkpoint.ts";
import { buildPeriods, type Period } from "../engine/periods.ts";
import type { Cuts } from "./cuts.ts";
import type { FlowFacts } from "./flows.ts";
import { outlineOfRuns } from "./outline.ts";
import type { StagePlan } from "./plan.ts";
import { readDays } from "./points.ts";
import { readResults } from "./results.ts";
import type { StageTask } from "./task.ts";

const METRICS_OF = { block: FLOW_METRIC_NAMES, hour: [...FLOW_METRIC_NAMES, "price"] } as const;

/** Tasks that share the metrics of a period which extends published objects. */
const SHARES = 4;

export async function cutPeriods({ plan, folder, runs }: StageTask): Promise<Cuts> {
  const outline = outlineOfRuns(plan, runs);
  const blocks = (await readResults<FlowFacts>(folder, plan, "flows")).flatMap(({ blocks }) => blocks);
  const periods = buildPeriods(outline, blocks, plan.asset.resolutions, plan.resume?.manifest);
  const days = collectDays(await readDays(folder, plan));
  const checkpoint = nextCheckpoint(outline, days, blocks);
  return {
    periods,
    units: [
      // First those that take longest.
      ...(checkpoint ? ["checkpoint" as const] : []),
      ...(["block", "hour"] as const).flatMap((resolution) =>
        (periods[resolution] ?? []).flatMap((period) =>
          sharesOf(plan, period, METRICS_OF[resolution]).map((metrics) => ({ resolution, period, metrics })),
        ),
      ),
    ],
    ...(checkpoint && { checkpoint }),
  };
}

/**
 * Divides the metrics of a period among tasks. A period that extends published objects has few new events, and most of
 * the time goes into the points before, metric by metric.
 */
function sharesOf({ resume }: StagePlan, { from }: Period, metrics: readonly MetricName[]): (readonly MetricName[])[] {
  if (!resume || from >= resume.checkpoint.time) return [metrics];
  const size = Math.ceil(metrics.length / SHARES);
  return Array.from({ length: SHARES }, (_, share) => metrics.slice(share * size, (share + 1) * size));
}
