/** Makes every series object of a build, on worker threads. */

import { METRICS } from "../data-schema/metrics.ts";
import type { Resolution } from "../data-schema/resolutions.ts";
import { ofMetrics, type Previous, readEarlier } from "./checkpoint/previous.ts";
import type { MetricRuns } from "./engine/flows.ts";
import { FLOW_METRIC_NAMES } from "./engine/formulas.ts";
import { joinRuns } from "./engine/join-runs.ts";
import type { Period } from "./engine/periods.ts";
import { dayStates } from "./engine/states.ts";
import type { Timeline } from "./engine/timeline.ts";
import type { Earlier } from "./output/follow.ts";
import type { SeriesFile } from "./output/object.ts";
import type { Plan } from "./plan.ts";
import type { Progress } from "./progress.ts";
import type { ObjectStore } from "./store/store.ts";
import type { Pool } from "./threads/pool.ts";
import type { TaskInput } from "./threads/tasks.ts";

export interface SeriesWork {
  symbol: string;
  timeline: Timeline;
  plan: Plan;
  /** `DAY_WIDTH` numbers a day. */
  holdings: Float64Array;
  pool: Pool;
  store: ObjectStore;
  /** What the points follow. */
  previous: Previous | undefined;
  progress: Progress;
}

/**
 * @param use takes the objects as they come
 * @throws {StartOver} as `readEarlier`
 */
export async function writeSeries(work: SeriesWork, use: (files: SeriesFile[]) => Promise<void>): Promise<void> {
  const { symbol, timeline, plan, holdings, pool, progress } = work;
  const blocks = await blockTasks(work);
  let done = 0;
  const total = blocks.length + plan.years.length + plan.day.length * METRICS.length;
  const advance = async (files: SeriesFile[]) => {
    await use(files);
    progress.update(++done, total);
  };

  await pool.forEach("blocks", blocks, ({ files }) => advance(files));
  const dayFlows: MetricRuns[] = [];
  const years = [];
  for (const period of plan.years) {
    years.push({ symbol, period, publish: plan.hour !== undefined, earlier: await earlierOf(work, "hour", period) });
  }
  await pool.forEach("hours", years, ({ files, day }, index) => {
    dayFlows[index] = day;
    return advance(files);
  });
  for (const period of plan.day) {
    const earlier = await earlierOf(work, "day", period);
    const inputs = [...dayStates(timeline, holdings), ...joinRuns(dayFlows)].map((metric) => ({
      symbol,
      resolution: "day" as const,
      period: period.name,
      metrics: [metric],
      earlier: earlier && ofMetrics(earlier, [metric[0]]),
    }));
    await pool.forEach("encode", inputs, ({ files }) => advance(files));
  }
}

/**
 * A task for each period; of one that follows what is published, several: its events are few, and what takes time are
 * the points before, metric by metric.
 */
async function blockTasks(work: SeriesWork): Promise<TaskInput<"blocks">[]> {
  const tasks: TaskInput<"blocks">[] = [];
  for (const period of work.plan.block ?? []) {
    const { symbol } = work;
    const earlier = await earlierOf(work, "block", period);
    if (!earlier) tasks.push({ symbol, period });
    else {
      for (const metrics of shares(FLOW_METRIC_NAMES, 2 * work.pool.threads)) {
        tasks.push({ symbol, period, metrics, earlier: ofMetrics(earlier, metrics) });
      }
    }
  }
  return tasks;
}

/** What is published of a period that was begun before the checkpoint. */
async function earlierOf(
  { previous, store }: SeriesWork,
  resolution: Resolution,
  period: Period,
): Promise<Earlier | undefined> {
  if (!previous || period.from >= previous.checkpoint.time) return undefined;
  return readEarlier(store, previous, resolution, period);
}

/** A list in so many parts, side by side. */
function shares<T>(list: readonly T[], parts: number): T[][] {
  const size = Math.ceil(list.length / parts);
  return Array.from({ length: Math.ceil(list.length / size) }, (_, part) => list.slice(part * size, (part + 1) * size));
}
