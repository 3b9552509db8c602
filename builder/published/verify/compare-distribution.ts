/** Checks distributions: the buckets of each add up to what its addresses hold. Source: docs/methodology.md §8.18 and §11. */

import {
  BUCKET_SECONDS,
  bucketFieldsOf,
  bucketOf,
  DISTRIBUTION_FIELDS,
  type DistributionName,
  type DistributionResolution,
  type LotDistribution,
  metricByName,
  RESOLUTION_FACTS,
  selectorsOfDistribution,
  seriesNames,
} from "../../../data-schema/registry.ts";
import { isoDay } from "../../../data-schema/text.ts";
import type { Series } from "../../engine/series.ts";
import { type Bounds, pointProblems } from "./check-points.ts";
import type { SeriesByMetric } from "./rules/series-columns.ts";

/** A sentence for each problem with the points of an object, without its name. */
export function distributionProblems(
  distribution: DistributionName | LotDistribution,
  resolution: DistributionResolution,
  series: readonly Series[],
  bounds: Bounds,
): string[] {
  const buckets = series.map(({ selector }) => bucketOf(selector));
  const order = seriesNames(distribution, buckets);
  const known = new Set(order);
  const unknown = series.filter(({ selector }) => !known.has(selector));
  return [
    ...unknown.map(({ selector }) => `it has ${selector}, which is no bucket of ${distribution}`),
    ...DISTRIBUTION_FIELDS.flatMap((field) => {
      const own = series.filter(({ selector }) => selector.startsWith(`${field}:`) && known.has(selector));
      // Unlike the sums of metrics, those of a bucket with addresses may be 0: their cost is.
      const metric = { ...metricByName(field), shape: "ratio" as const };
      return pointProblems(metric, resolution, own, bounds, order);
    }),
  ];
}

/** How far a sum of rounded numbers may be from the rounded sum, as a share of it. */
const TOLERANCE = 1e-9;

/**
 * Compares what the buckets of a distribution add up to with the metrics that its fields are named after.
 *
 * @param series of all its years
 * @param days the published days
 * @param range first and last bucket of the resolution, Unix seconds
 */
export function compareDistribution(
  distribution: DistributionName | LotDistribution,
  resolution: DistributionResolution,
  series: readonly Series[],
  days: SeriesByMetric,
  range: { first: number; last: number },
): { checks: number; problems: string[] } {
  const startOf = RESOLUTION_FACTS[resolution].start;
  let checks = 0;
  const problems: string[] = [];
  for (const selector of selectorsOfDistribution(distribution)) {
    for (const field of bucketFieldsOf(selector)) {
      const published = days.get(field);
      // An object that can't be read has been reported.
      if (!published) continue;
      const sums = new Map<number, { sum: number; size: number }>();
      for (const { selector: name, t, v } of series) {
        if (!name.startsWith(`${field}:${selector}:`)) continue;
        for (const [i, time] of t.entries()) {
          const { sum, size } = sums.get(time) ?? { sum: 0, size: 0 };
          sums.set(time, { sum: sum + v[i]!, size: size + Math.abs(v[i]!) });
        }
      }
      const { t: times, v: values } = published.get(selector) ?? { t: [], v: [] };
      const byDay = new Map(Array.from(times, (day, i) => [day, values[i]!]));
      let [wrong, first] = [0, 0];
      for (let start = range.first; start <= range.last; start = startOf(start, 1)) {
        const { sum, size } = sums.get(start) ?? { sum: 0, size: 0 };
        const expected = byDay.get(startOf(start, 1) - BUCKET_SECONDS.day) ?? 0;
        const isRight =
          field === "num_addresses"
            ? sum === expected
            : Math.abs(sum - expected) <= TOLERANCE * Math.max(size, expected);
        checks++;
        if (!isRight && wrong++ === 0) first = start;
      }
      if (wrong === 0) continue;
      const day = isoDay(first);
      problems.push(
        `${resolution} ${distribution} of ${selector} does not add up to ${field} at ${wrong} places, first ${day}.`,
      );
    }
  }
  return { checks, problems };
}
