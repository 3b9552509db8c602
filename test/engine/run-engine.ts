/** The fast engine's answer for a token, in the reference's form. */

import { computeSeries } from "../../builder/engine/compute.ts";
import { METRICS, SINGLE_SERIES } from "../../data-schema/metrics.ts";
import type { Point, SeriesByKey, Token } from "../reference/reference.ts";
import { toEngineInput } from "./engine-input.ts";

type Buckets = { first: number; last: number } | null;

/** Metrics without a selector: the engine stores their one series under a name, the reference under none. */
const SINGLE: ReadonlySet<string> = new Set(
  METRICS.filter((metric) => metric.selectors.v1 === null).map((metric) => metric.name),
);

/** Points by `metric|resolution|selector`, and the first and last complete day and hour (Unix seconds). */
export function runEngine(token: Token, parts = 1): { series: SeriesByKey; day: Buckets; hour: Buckets } {
  const { history, prices, groups, terms } = toEngineInput(token);
  const { series, day, hour } = computeSeries(history, prices, groups, terms, parts);
  const points = [...series].map(([key, { t, v, block }]): [string, Point[]] => {
    const [metric, resolution, selector] = key.split("|");
    const name = SINGLE.has(metric) && selector === SINGLE_SERIES ? "-" : selector;
    const isBlock = resolution === "block";
    return [
      `${metric}|${resolution}|${name}`,
      Array.from(t, (t, i) => (isBlock ? { t, v: v[i], block: block[i] } : { t, v: v[i] })),
    ];
  });
  return { series: new Map(points), day: day ?? null, hour: hour ?? null };
}
