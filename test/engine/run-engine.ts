/** The fast engine's answer for a token, in the reference's form. */

import { bucketRange } from "../../builder/engine/history/outline.ts";
import { METRICS, SINGLE_SERIES, selectorIn } from "../../data-schema/registry/metrics.ts";
import type { BucketResolution } from "../../data-schema/registry/resolutions.ts";
import { allSeries } from "../in-memory/engine.ts";
import { prepareTimeline } from "../in-memory/timeline.ts";
import type { Point, SeriesByKey, Token } from "../reference/reference.ts";
import { toEngineInput } from "./engine-input.ts";

type Buckets = { first: number; last: number } | null;

/** Metrics without a selector: the engine stores their one series under a name, the reference under none. */
const SINGLE: ReadonlySet<string> = new Set(
  METRICS.filter((metric) => selectorIn(metric) === null).map((metric) => metric.name),
);

/** Points by `metric|resolution|selector`, and the first and last complete day, hour, week and month (Unix seconds). */
export function runEngine(
  token: Token,
  partitions = 1,
): { series: SeriesByKey; day: Buckets; hour: Buckets; week: Buckets; month: Buckets } {
  const { history, prices, groups, parameters } = toEngineInput(token);
  const timeline = prepareTimeline(history, prices, groups, parameters);
  const series = new Map<string, Point[]>();
  for (const [resolution, metrics] of allSeries(timeline, { partitions })) {
    for (const [metric, runs] of metrics) {
      // A long history has too many of them: test/engine/calendar/price-series.test.ts compares those of short ones.
      if (metric === "price" && resolution === "hour") continue;
      for (const { selector, t, v, block } of runs) {
        const name = SINGLE.has(metric) && selector === SINGLE_SERIES ? "-" : selector;
        const key = `${metric}|${resolution}|${name}`;
        const points = series.get(key) ?? [];
        series.set(key, points);
        for (const [i, seconds] of t.entries()) {
          points.push(block ? { t: seconds, v: v[i]!, block: block[i]! } : { t: seconds, v: v[i]! });
        }
      }
    }
  }
  const range = (resolution: BucketResolution) => bucketRange(timeline, resolution) ?? null;
  return { series, day: range("day"), hour: range("hour"), week: range("week"), month: range("month") };
}
