/** docs/methodology.md §8, rule 7: the hours of a sum add up to their day, the blocks to their hour. */

import { BUCKET_SECONDS, type MetricName, metricByName } from "../../../../data-schema/registry.ts";
import type { Series } from "../../../engine/series.ts";
import { lowerBound } from "../../../lib/columns/lower-bound.ts";
import { spaced } from "../../../lib/columns/spaced.ts";
import { counted } from "../../../lib/terminal/amount-text.ts";
import { CANCELLATION, cancellationScale, RELATIVE } from "./equations.ts";
import { type SeriesByMetric, sumOf } from "./series-columns.ts";
import { pointPlace } from "./solve.ts";

/** Buckets of one length. */
export interface EqualBuckets {
  resolution: keyof typeof BUCKET_SECONDS;
  /** Start of the first and the last, Unix seconds. */
  first: number;
  last: number;
}

/** Sums of one metric's points over longer buckets. */
export class BucketSums {
  readonly #metric: MetricName;
  readonly #buckets: EqualBuckets;
  readonly #places: Float64Array;
  readonly #sums = new Map<string, Float64Array>();

  constructor(metric: MetricName, buckets: EqualBuckets) {
    this.#metric = metric;
    this.#buckets = buckets;
    const length = BUCKET_SECONDS[buckets.resolution];
    const count = (buckets.last - buckets.first) / length + 1;
    this.#places = spaced(buckets.first, length, count);
  }

  /** Adds the points of a period. Ignores those after the last bucket: their bucket is not complete. */
  add(runs: Iterable<Series>): void {
    const { first, resolution } = this.#buckets;
    const length = BUCKET_SECONDS[resolution];
    for (const { selector, t, v } of runs) {
      let sums = this.#sums.get(selector);
      if (!sums) {
        sums = new Float64Array(this.#places.length);
        this.#sums.set(selector, sums);
      }
      for (let i = 0; i < t.length; i++) {
        const bucket = Math.floor((t[i]! - first) / length);
        if (bucket >= 0 && bucket < sums.length) sums[bucket]! += v[i]!;
      }
    }
  }

  /**
   * Compares the sums with the published values of the longer buckets.
   *
   * @param coarse the metric's points in a period, and those of its `cancellationScale`
   * @param fine what was added up, for the message
   * @returns a sentence for each selector that differs
   */
  compare(
    coarse: SeriesByMetric,
    { from, to }: { from: number; to: number },
    fine: string,
  ): { checks: number; problems: string[] } {
    const metric = this.#metric;
    const runs = coarse.get(metric);
    if (!runs) return { checks: 0, problems: [] };
    const { resolution } = this.#buckets;
    const begin = lowerBound(this.#places, this.#places.length, from);
    const end = lowerBound(this.#places, this.#places.length, to);
    const places = this.#places.subarray(begin, end);
    const scale = coarse.get((cancellationScale(metric) ?? "") as MetricName);
    const relative = metricByName(metric).unit === "count" ? 0 : RELATIVE;
    const column = (run: Series | undefined) => sumOf(run ? [run] : [], places);
    const problems: string[] = [];
    let checks = 0;
    for (const selector of new Set([...this.#sums.keys(), ...runs.keys()])) {
      const published = column(runs.get(selector));
      const sums = this.#sums.get(selector)?.subarray(begin, end) ?? column(undefined);
      const scales = scale && column(scale.get(selector));
      const wrong: number[] = [];
      for (let i = 0; i < places.length; i++) {
        const x = published[i]!;
        const y = sums[i]!;
        if (x === y) continue;
        const allowed = relative * Math.max(Math.abs(x), Math.abs(y)) + (scales ? CANCELLATION * scales[i]! : 0);
        // Also true for NaN.
        if (!(Math.abs(x - y) <= allowed)) wrong.push(i);
      }
      checks += places.length;
      const [first] = wrong;
      if (first === undefined) continue;
      problems.push(
        `${resolution}: the ${fine} of ${metric}(${selector}) do not add up (rule 7) at ${counted(wrong.length, "place")}, ` +
          `first ${pointPlace(resolution, places[first]!)}: ${published[first]} instead of ${sums[first]}.`,
      );
    }
    return { checks, problems };
  }
}
