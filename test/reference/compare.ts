/**
 * Whether two implementations agree: to |Δ| ≤ 1e-9·|v|; counts exactly; realised and unrealised profit and loss, where
 * P − a cancels, to 1e-9·|v| + 1e-11·g, with g the volume_dollar (realised) or market_cap (unrealised) of the same bucket
 * and cohort; ages to a microsecond for each token more. Source: docs/methodology.md §8.
 */

import { CANCELLATION, cancellationScale } from "../../builder/published/verify/rules/equations.ts";
import { METRICS, type Metric } from "../../data-schema/registry/metrics.ts";
import type { Point, SeriesByKey } from "./reference.ts";

const metricByName: ReadonlyMap<string, Metric> = new Map(METRICS.map((metric) => [metric.name, metric]));

const RELATIVE = 1e-9;

/**
 * The differences between two sets of series, a readable line each; none when they agree. A missing series counts as an
 * empty one.
 *
 * A sum without a point is 0 there, but a point of 0 is a difference; a ratio must have its points at the same places.
 */
export function compareSeries(actual: SeriesByKey, expected: SeriesByKey): string[] {
  const keys = new Set([...expected.keys(), ...actual.keys()]);
  return [...keys].flatMap((key) => {
    const [metricName = "", resolution, selector] = key.split("|");
    const metric = metricByName.get(metricName);
    if (metric === undefined) return [`${key}: no such metric`];
    const scale = expected.get(`${cancellationScale(metricName)}|${resolution}|${selector}`) ?? [];
    const slack = new Map(scale.map((point) => [bucketOf(point), CANCELLATION * point.v]));
    const ofAges = ageSlack(metricName, expected, `${resolution}|${selector}`);
    return [
      ...disorder(key, actual.get(key) ?? []),
      ...comparePoints(
        key,
        metric,
        actual.get(key) ?? [],
        expected.get(key) ?? [],
        ofAges ?? ((at) => slack.get(at) ?? 0),
      ),
    ];
  });
}

/** A microsecond, in days. */
const MICROSECOND = 1e-6 / 86_400;

/** How much an age may differ beyond 1e-9, by bucket, since purchase times are doubles near 2e9; undefined for what is no age. */
function ageSlack(
  metric: string,
  expected: SeriesByKey,
  place: string,
): ((bucket: number | string) => number) | undefined {
  const tokens = (keys: readonly string[]) => {
    const sums = new Map<number | string, number>();
    for (const key of keys) {
      for (const point of expected.get(key) ?? []) {
        sums.set(bucketOf(point), (sums.get(bucketOf(point)) ?? 0) + point.v);
      }
    }
    return (bucket: number | string) => MICROSECOND * (sums.get(bucket) ?? 0);
  };
  const [resolution] = place.split("|");
  if (metric === "coin_days_held") return tokens([`supply|${place}`]);
  if (metric === "coin_days_destroyed") return tokens([`volume|${place}`, `burned|${resolution}|-`]);
  if (metric === "liveliness") {
    // D / (D + H) follows from its parts: D may be off by a microsecond for each token that has moved, H for each that is held.
    const valuesOf = (key: string) => new Map((expected.get(key) ?? []).map((point) => [bucketOf(point), point.v]));
    const held = valuesOf(`coin_days_held|${resolution}|total`);
    const [supply, ratio] = [valuesOf(`supply|${resolution}|total`), valuesOf(`liveliness|${place}`)];
    const moved = ["volume|day|total", "burned|day|-"].flatMap((key) => expected.get(key) ?? []);
    const most = moved.reduce((sum, { v }) => sum + v, 0);
    return (bucket) => {
      const tokens = most + (ratio.get(bucket) ?? 0) * (supply.get(bucket) ?? 0);
      return MICROSECOND * (1 + tokens / (held.get(bucket) ?? Number.POSITIVE_INFINITY));
    };
  }
  return metric === "dormancy" || metric.startsWith("mean_") ? () => MICROSECOND : undefined;
}

function comparePoints(
  key: string,
  metric: Metric,
  actual: Point[],
  expected: Point[],
  slackAt: (bucket: number | string) => number,
): string[] {
  const differences: string[] = [];
  for (const [point, found, wanted] of pairs(actual, expected)) {
    const bucket = bucketOf(point);
    const [is, should] = [found?.v, wanted?.v];
    const differs =
      metric.shape === "ratio"
        ? is === undefined ||
          should === undefined ||
          !isClose(is, should, RELATIVE * Math.abs(should) + slackAt(bucket))
        : is === 0 || !isClose(is ?? 0, should ?? 0, tolerance(metric, should ?? 0, slackAt(bucket)));
    if (differs) differences.push(`${key} at ${place(point)}: ${is ?? "no point"} instead of ${should ?? "no point"}`);
  }
  return differences;
}

/** A place for each point that either side has, and the points of both there. */
function pairs(
  actual: Point[],
  expected: Point[],
): [point: Point, actual: Point | undefined, expected: Point | undefined][] {
  const isSame = ({ t, block }: Point, i: number) => t === expected[i]!.t && block === expected[i]!.block;
  // Nearly always; maps would take as long as all the rest.
  if (actual.length === expected.length && actual.every(isSame)) {
    return actual.map((point, i) => [point, point, expected[i]!]);
  }
  const found = new Map(actual.map((point) => [bucketOf(point), point]));
  const wanted = new Map(expected.map((point) => [bucketOf(point), point]));
  return Array.from(new Map([...wanted, ...found]), ([bucket, point]) => [
    point,
    found.get(bucket),
    wanted.get(bucket),
  ]);
}

/** Points ascend in time, and in block number; a place holds one point. */
function disorder(key: string, points: Point[]): string[] {
  return points.flatMap((point, i) => {
    const before = points[i - 1];
    if (!before) return [];
    const ascends =
      point.block === undefined || before.block === undefined
        ? point.t > before.t
        : point.block > before.block && point.t >= before.t;
    return ascends ? [] : [`${key}: ${place(point)} follows ${place(before)}`];
  });
}

/** Tells the points of a series apart. */
function bucketOf({ t, block }: Point): number | string {
  return block === undefined ? t : `${block} ${t}`;
}

/** A bucket as a reader names it. */
function place({ t, block }: Point): string {
  const time = new Date(t * 1000).toISOString();
  return block === undefined ? time : `block ${block} (${time})`;
}

function tolerance(metric: Metric, v: number, slack: number): number {
  return metric.unit === "count" ? 0 : RELATIVE * Math.abs(v) + slack;
}

/** False for a NaN on either side. */
function isClose(a: number, b: number, within: number): boolean {
  return Math.abs(a - b) <= within;
}
