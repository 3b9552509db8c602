/**
 * The percentiles of the average purchase price at each day's close, from the exact supplies of the buckets of costs.
 * Source: docs/methodology.md §9.
 */

import {
  type Bucket,
  COST_PERCENTILES,
  costBucket,
  DISTRIBUTION_SELECTORS,
  type DistributionSelector,
  percentileMetric,
} from "../../../data-schema/registry.ts";
import type { MetricSeries } from "../flows.ts";

/** A bucket of costs, by its number, and its supply, in raw units or any other. */
export interface CostSupply<Supply> {
  bucket: number;
  supply: Supply;
}

/** Their metrics, and their shares of the supply in per cent. */
const PERCENTILES = COST_PERCENTILES.map((percent) => ({
  metric: percentileMetric(percent),
  percent: BigInt(percent),
}));

/** USD per token at each of `COST_PERCENTILES`; undefined without supply. @param held ascending */
export function costPercentiles(held: readonly CostSupply<bigint>[]): number[] | undefined {
  const all = held.reduce((sum, { supply }) => sum + supply, 0n);
  if (all === 0n) return undefined;
  const costs: number[] = [];
  let before = 0n;
  for (const { bucket, supply } of held) {
    const after = before + supply;
    while (costs.length < PERCENTILES.length) {
      // In hundredths of a raw unit, so that the comparison is exact.
      const reached = PERCENTILES[costs.length]!.percent * all;
      if (100n * after < reached) break;
      costs.push(costWithin(knownBucket(bucket), Number(reached - 100n * before) / Number(100n * supply)));
    }
    before = after;
  }
  return costs;
}

/** Edges are computed exactly, which takes a while. */
const buckets: Bucket[] = [];
const knownBucket = (number: number): Bucket => (buckets[number] ??= costBucket(number));

/** ln 10 / 40, by which the logarithm of a cost grows within a bucket. */
const BUCKET_GROWTH = Math.LN10 / 40;
/** Terms of the series of an exponential that is this small: the next one is below 10^-19. */
const TERMS = 10;

/** The cost at a part of a bucket, from 0 to 1: from · (to / from)^part, and the inner edge of a bucket without an end. */
export function costWithin({ from, to }: Pick<Bucket, "from" | "to">, part: number): number {
  if (from === null || to === null) return from ?? to!;
  // `Math.pow` differs between engines; sums and products do not.
  let power = 1;
  for (let term = TERMS; term > 0; term--) power = 1 + (power * part * BUCKET_GROWTH) / term;
  return Math.min(from * power, to);
}

/** Collects the percentiles of day after day. */
export class CostPercentileSeries {
  readonly #closes: Record<DistributionSelector, { days: number[]; costs: number[][]; last: number[] | undefined }> = {
    total: { days: [], costs: [], last: undefined },
    users: { days: [], costs: [], last: undefined },
  };

  /**
   * @param day its start, Unix seconds
   * @param bucketsOf those of a selector; null on a day that has changed none
   */
  close(day: number, bucketsOf: ((selector: DistributionSelector) => CostSupply<bigint>[]) | null): void {
    for (const selector of DISTRIBUTION_SELECTORS) {
      const closes = this.#closes[selector];
      if (bucketsOf) closes.last = costPercentiles(bucketsOf(selector));
      if (closes.last === undefined) continue;
      closes.days.push(day);
      closes.costs.push(closes.last);
    }
  }

  /** The series of days. */
  days(): MetricSeries {
    const groups = DISTRIBUTION_SELECTORS.map((selector) => ({
      selector,
      t: Float64Array.from(this.#closes[selector].days),
      costs: this.#closes[selector].costs,
    })).filter(({ t }) => t.length > 0);
    return PERCENTILES.map(({ metric }, place) => [
      metric,
      groups.map(({ selector, t, costs }) => ({ selector, t, v: Float64Array.from(costs, (own) => own[place]!) })),
    ]);
  }
}
