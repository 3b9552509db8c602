/** When a token has a price, and when the last one has to hold for long. Source: docs/methodology.md §1. */

import { MAX_PRICE_GAPS, type PriceRange } from "../../../data-schema/stored/manifest.ts";

/** A price holds until the next one; after seven days without one the stretch is marked. */
const LONGEST_HOLD = 7 * 86_400;

/**
 * @param prices sorted by time, Unix seconds
 * @param asOf Unix seconds; prices at or after it do not count
 * @returns undefined if there is no price before `asOf`
 */
export function priceRange({ timestamp }: { timestamp: Float64Array }, asOf: number): PriceRange | undefined {
  const times = timestamp.filter((time) => time < asOf);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const gaps: [from: number, to: number][] = [];
  for (let i = 0; i < times.length; i++) {
    const [from, to] = [times[i]!, times[i + 1] ?? asOf];
    if (to - from > LONGEST_HOLD) gaps.push([from, to]);
  }
  const longest = gaps.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, MAX_PRICE_GAPS);
  const moreGaps = gaps.length - longest.length;
  return { first, last, gaps: longest.sort((a, b) => a[0] - b[0]), ...(moreGaps > 0 && { moreGaps }) };
}
