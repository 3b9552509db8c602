/** Makes every series object of a build, on worker threads. */

import { METRICS, type MetricName } from "../../data-schema/metrics.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { FLOW_METRIC_NAMES } from "../engine/formulas.ts";
import { joinRuns } from "../engine/join-runs.ts";
import type { Period } from "../engine/periods.ts";
import type { SeriesRun } from "../engine/series.ts";
import { dayStates } from "../engine/states.ts";
import type { Timeline } from "../engine/timeline.ts";
import { type Previous, readEarlier } from "../incremental/previous.ts";
import type { Earlier } from "../output/follow.ts";
import type { SeriesFile } from "../output/object.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Pool } from "../threads/pool.ts";
import type { Plan } from "./periods.ts";

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
  const blocks = (plan.block ?? []).flatMap((period) =>
    sharesOf(work, period).map((metrics) => async () => ({
      ...{ symbol, period, metrics },
      earlier: await earlierOf(work, "block", period, metrics),
    })),
  );
  const publish = plan.hour !== undefined;
  const hours = plan.years.flatMap((period, year) =>
    (publish ? sharesOf(work, period) : [undefined]).map((metrics) => ({
      year,
      input: async () => ({
        ...{ symbol, period, publish, metrics },
        earlier: publish ? await earlierOf(work, "hour", period, metrics) : undefined,
      }),
    })),
  );
  let done = 0;
  const total = blocks.length + hours.length + plan.day.length * METRICS.length;
  const advance = async (files: SeriesFile[]) => {
    await use(files);
    progress.update(++done, total);
  };

  await pool.forEach("blocks", blocks, ({ files }) => advance(files));
  const days: [MetricName, SeriesRun[]][][] = [];
  const inputs = hours.map(({ input }) => input);
  await pool.forEach("hours", inputs, ({ files, day }, index) => {
    days[index] = day;
    return advance(files);
  });
  const dayFlows = plan.years.map((_, year) => days.filter((_, index) => hours[index].year === year).flat());
  for (const period of plan.day) {
    const metrics = [...dayStates(timeline, holdings), ...joinRuns(dayFlows)];
    const encoded = metrics.map((metric) => async () => ({
      ...{ symbol, resolution: "day" as const, period: period.name, metrics: [metric] },
      earlier: await earlierOf(work, "day", period, [metric[0]]),
    }));
    await pool.forEach("encode", encoded, ({ files }) => advance(files));
  }
}

/** Whether points of a period are published. */
const isBegun = ({ previous }: SeriesWork, { from }: Period) =>
  previous !== undefined && from < previous.checkpoint.time;

/**
 * The tasks of a period, by their metrics: one with all, undefined. Of a period that follows what is published, several:
 * its events are few, and what takes time are the points before, metric by metric.
 */
function sharesOf(work: SeriesWork, period: Period): (readonly MetricName[] | undefined)[] {
  if (!isBegun(work, period)) return [undefined];
  const size = Math.ceil(FLOW_METRIC_NAMES.length / (2 * work.pool.threads));
  const count = Math.ceil(FLOW_METRIC_NAMES.length / size);
  return Array.from({ length: count }, (_, share) => FLOW_METRIC_NAMES.slice(share * size, (share + 1) * size));
}

/** What is published of some metrics in a period that was begun before the checkpoint. */
async function earlierOf(
  work: SeriesWork,
  resolution: Resolution,
  period: Period,
  metrics: readonly MetricName[] = FLOW_METRIC_NAMES,
): Promise<Earlier | undefined> {
  if (!work.previous || !isBegun(work, period)) return undefined;
  return readEarlier(work.store, work.previous, resolution, period, metrics);
}
