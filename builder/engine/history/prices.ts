/** Price as a step function of time. Source: docs/methodology.md §1 and §5. */

import { lowerBound } from "../../lib/columns/lower-bound.ts";
import type { History, Prices } from "./history.ts";

/** The price after so many observations: 0 before the first. */
const priceAfter = ({ usd }: Prices, observations: number) => (observations === 0 ? 0 : usd[observations - 1]!);

/** USD per token at the close of a bucket: the last observation strictly before its end (Unix seconds). */
export function closePrice(prices: Prices, end: number): number {
  return priceAfter(prices, lowerBound(prices.timestamp, prices.timestamp.length, end));
}

/** USD per token at times that never decrease: the last observation at or before each. */
export class PriceCursor {
  readonly #prices: Prices;
  #observations: number;

  /** @param from no time is before it */
  constructor(prices: Prices, from = Number.NEGATIVE_INFINITY) {
    this.#prices = prices;
    this.#observations = lowerBound(prices.timestamp, prices.timestamp.length, from);
  }

  at(seconds: number): number {
    const { timestamp } = this.#prices;
    while (this.#observations < timestamp.length && timestamp[this.#observations]! <= seconds) this.#observations++;
    return priceAfter(this.#prices, this.#observations);
  }
}

export const firstPriceTime = ({ timestamp }: Prices) => timestamp[0] ?? Number.POSITIVE_INFINITY;

/** USD per token at each event. */
export function pricesAt(prices: Prices, { rows, timestamp }: Pick<History, "rows" | "timestamp">): Float64Array {
  const price = new Float64Array(rows);
  const cursor = new PriceCursor(prices, timestamp[0]);
  for (let row = 0; row < rows; row++) price[row] = cursor.at(timestamp[row]!);
  return price;
}
