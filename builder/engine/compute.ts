/** The whole engine on one thread: what the builder does in steps and on several. */

import type { Resolution } from "../../data-schema/resolutions.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { blockFlows, hourAndDayFlows, type MetricRuns } from "./flows.ts";
import type { AssetTerms, Groups, History, Prices } from "./history.ts";
import { joinReplays } from "./join-replays.ts";
import { blockPeriods, flowYears } from "./periods.ts";
import { replayPart } from "./replay.ts";
import { dayStates } from "./states.ts";
import { takeCheckpoint } from "./take-checkpoint.ts";
import { type BucketRange, bucketRange, prepareTimeline, type Timeline } from "./timeline.ts";

/**
 * Every series of a history, stretch after stretch, made as they are asked for; then what it leaves behind. After a
 * checkpoint, the points since.
 *
 * @param parts how many parts the addresses are dealt out to, a power of two: the series do not depend on it
 * @throws {Failure} a transfer or burn exceeds its sender's balance
 */
export function* allSeries(
  timeline: Timeline,
  { parts = 1, blocks = true }: { parts?: number; blocks?: boolean } = {},
): Generator<[Resolution, MetricRuns], Checkpoint | undefined> {
  const replays = Array.from({ length: parts }, (_, part) => replayPart(timeline, part, parts));
  yield ["day", dayStates(timeline, joinReplays(timeline, replays))];
  for (const year of flowYears(timeline)) {
    const { hour, day } = hourAndDayFlows(timeline, year);
    yield ["hour", hour];
    yield ["day", day];
  }
  if (!blocks) return takeCheckpoint(timeline, replays);
  for (const period of blockPeriods(timeline)) yield ["block", blockFlows(timeline, period)];
  return takeCheckpoint(timeline, replays);
}

/** Points of a series, ascending. */
export interface SeriesPoints {
  /** Unix seconds. */
  t: number[];
  v: number[];
  /** Block numbers, at block resolution. */
  block: number[];
}

export interface ComputedSeries {
  /** By `metric|resolution|selector`; series without a point are left out. */
  series: Map<string, SeriesPoints>;
  day: BucketRange | undefined;
  hour: BucketRange | undefined;
}

/**
 * Every series of a history, in memory at once: for small ones.
 *
 * @param parts as of `allSeries`, which throws the same
 */
export function computeSeries(
  history: History,
  prices: Prices,
  groups: Groups,
  terms: AssetTerms,
  parts = 1,
): ComputedSeries {
  const timeline = prepareTimeline(history, prices, groups, terms);
  const series = new Map<string, SeriesPoints>();
  for (const [resolution, metrics] of allSeries(timeline, { parts })) {
    for (const [metric, runs] of metrics) {
      for (const { selector, t, v, block } of runs) {
        const key = `${metric}|${resolution}|${selector}`;
        const points = series.get(key) ?? { t: [], v: [], block: [] };
        series.set(key, points);
        points.t.push(...t);
        points.v.push(...v);
        points.block.push(...(block ?? []));
      }
    }
  }
  return { series, day: bucketRange(timeline, "day"), hour: bucketRange(timeline, "hour") };
}
