/** The price at the close of each bucket. Source: docs/methodology.md §5. */

import {
  type BucketResolution,
  type MetricName,
  RESOLUTION_FACTS,
  SINGLE_SERIES,
} from "../../../data-schema/registry.ts";
import { newBuckets, type Outline } from "../history/outline.ts";
import { closePrice } from "../history/prices.ts";
import type { Series } from "../series.ts";

/**
 * The price of each bucket that begins in [from, to), Unix seconds, and of all when left out; except those that were
 * complete at the outline's checkpoint.
 */
export function* priceSeries(
  outline: Outline,
  resolution: BucketResolution,
  { from, to } = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
): Generator<[MetricName, Series[]]> {
  const buckets = newBuckets(outline, resolution);
  const [t, v]: [number[], number[]] = [[], []];
  const next = (start: number) => RESOLUTION_FACTS[resolution].start(start, 1);
  for (let start = buckets?.first ?? to; start < to && start <= buckets!.last; start = next(start)) {
    const price = start < from ? 0 : closePrice(outline.prices, next(start));
    if (price === 0) continue;
    t.push(start);
    v.push(price);
  }
  const run = { selector: SINGLE_SERIES, t: Float64Array.from(t), v: Float64Array.from(v) };
  yield ["price", v.length === 0 ? [] : [run]];
}
