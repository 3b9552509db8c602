/** Checks the percentiles of costs against the distribution that they are of. Source: docs/methodology.md §8.19. */

import {
  BUCKET_SECONDS,
  type Bucket,
  bucketNamed,
  bucketOf,
  bucketSeries,
  byKey,
  COST_PERCENTILES,
  DISTRIBUTION_SELECTORS,
  type DistributionResolution,
  type DistributionSelector,
  percentileMetric,
  RESOLUTION_FACTS,
} from "../../../data-schema/registry.ts";
import { isoDay } from "../../../data-schema/text.ts";
import { costWithin } from "../../engine/distributions.ts";
import type { Series } from "../../engine/series.ts";
import type { SeriesByMetric } from "./rules/series-columns.ts";

/**
 * How far a percentile may be off, as a share of it and of the supply: stored supplies are rounded, and so may reach the share
 * in the bucket before or after the one that the exact ones reach it in.
 */
const TOLERANCE = 1e-9;

/** The buckets that have tokens at a close, ascending, and their tokens. */
interface Close {
  buckets: Bucket[];
  supplies: number[];
  all: number;
}

/**
 * @param series of the distribution `cost_basis`, of all its years
 * @param days the published days
 * @param range first and last bucket of the resolution, Unix seconds
 */
export function comparePercentiles(
  resolution: DistributionResolution,
  series: readonly Series[],
  days: SeriesByMetric,
  range: { first: number; last: number },
): { checks: number; problems: string[] } {
  const startOf = RESOLUTION_FACTS[resolution].start;
  let checks = 0;
  const problems: string[] = [];
  for (const selector of DISTRIBUTION_SELECTORS) {
    const closes = closesOf(series, selector);
    for (const percent of COST_PERCENTILES) {
      const published = days.get(percentileMetric(percent));
      // Earlier engines had none, and an object that can't be read has been reported.
      if (!published) continue;
      const { t, v } = published.get(selector) ?? { t: [], v: [] };
      const byDay = new Map(Array.from(t, (day, i) => [day, v[i]!]));
      let [wrong, first] = [0, 0];
      for (let start = range.first; start <= range.last; start = startOf(start, 1)) {
        const value = byDay.get(startOf(start, 1) - BUCKET_SECONDS.day);
        checks++;
        if (!isPercentile(value, Number(percent) / 100, closes.get(start)) && wrong++ === 0) first = start;
      }
      if (wrong === 0) continue;
      problems.push(
        `${percentileMetric(percent)} of ${selector} does not follow from ${resolution} cost_basis at ${wrong} places, first ${isoDay(first)}.`,
      );
    }
  }
  return { checks, problems };
}

function closesOf(series: readonly Series[], selector: DistributionSelector): Map<number, Close> {
  const prefix = bucketSeries("supply", selector, "");
  const runs = series
    .filter((one) => one.selector.startsWith(prefix))
    .flatMap(({ t, v, selector: name }) => {
      const bucket = bucketNamed("cost_basis", bucketOf(name));
      // What is no bucket has been reported.
      return bucket ? [{ bucket, t, v }] : [];
    })
    .sort((a, b) => byKey(a.bucket, b.bucket));
  const closes = new Map<number, Close>();
  for (const { bucket, t, v } of runs) {
    for (const [i, time] of t.entries()) {
      const close = closes.get(time) ?? { buckets: [], supplies: [], all: 0 };
      closes.set(time, close);
      close.buckets.push(bucket);
      close.supplies.push(v[i]!);
      close.all += v[i]!;
    }
  }
  return closes;
}

function isPercentile(value: number | undefined, share: number, close: Close | undefined): boolean {
  if (value === undefined || close === undefined) return value === close;
  const [least, most] = [costAt(share - TOLERANCE, close), costAt(share + TOLERANCE, close)];
  return value >= least * (1 - TOLERANCE) && value <= most * (1 + TOLERANCE);
}

/** The cost up to which a share of the supply was bought. */
function costAt(share: number, { buckets, supplies, all }: Close): number {
  let [before, place] = [0, 0];
  while (place < buckets.length - 1 && before + supplies[place]! < share * all) before += supplies[place++]!;
  return costWithin(buckets[place]!, Math.min(1, (share * all - before) / supplies[place]!));
}
