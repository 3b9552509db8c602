/** The fast engine's answer for a token, in the reference's form. */

import { allSeries } from "../../builder/engine/engine.ts";
import { bucketRange, prepareTimeline } from "../../builder/engine/timeline.ts";
import { METRICS, SINGLE_SERIES } from "../../data-schema/metrics.ts";
import type { Point, SeriesByKey, Token } from "../reference/reference.ts";
import { toEngineInput } from "./engine-input.ts";

type Buckets = { first: number; last: number } | null;

/** Metrics without a selector: the engine stores their one series under a name, the reference under none. */
const SINGLE: ReadonlySet<string> = new Set(
  METRICS.filter((metric) => metric.selectors.v1 === null).map((metric) => metric.name),
);

/** Points by `metric|resolution|selector`, and the first and last complete day and hour (Unix seconds). */
export function runEngine(token: Token, partitions = 1): { series: SeriesByKey; day: Buckets; hour: Buckets } {
  const { history, prices, groups, parameters } = toEngineInput(token);
  const timeline = prepareTimeline(history, prices, groups, parameters);
  const series = new Map<string, Point[]>();
  for (const [resolution, metrics] of allSeries(timeline, { partitions })) {
    for (const [metric, runs] of metrics) {
      for (const { selector, t, v, block } of runs) {
        const name = SINGLE.has(metric) && selector === SINGLE_SERIES ? "-" : selector;
        const key = `${metric}|${resolution}|${name}`;
        const points = series.get(key) ?? [];
        series.set(key, points);
        for (const [i, seconds] of t.entries()) {
          points.push({ t: seconds, v: v[i]!, ...(block ? { block: block[i]! } : {}) });
        }
      }
    }
  }
  const range = (resolution: "day" | "hour") => bucketRange(timeline, resolution) ?? null;
  return { series, day: range("day"), hour: range("hour") };
}
