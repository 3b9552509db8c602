/** Price as a step function of time. Source: methodology §1 "Price" and §5 "The close of the bucket". */

import type { Prices } from "./history.ts";

/** Observations at or before the time. */
function observationsUntil(prices: Prices, seconds: number): number {
  let low = 0;
  let high = prices.timestamp.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (prices.timestamp[middle] <= seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** USD per token at the time: the last observation at or before it, 0 before the first. */
function priceAt(prices: Prices, seconds: number): number {
  const observations = observationsUntil(prices, seconds);
  return observations === 0 ? 0 : prices.usd[observations - 1];
}

/**
 * USD per token at the close of a bucket: the last observation strictly before its end.
 *
 * @param end a whole number of Unix seconds, as are the observations
 */
export function closePrice(prices: Prices, end: number): number {
  return priceAt(prices, end - 1);
}

/** Prices at times that never decrease, as `priceAt` gives them. */
export class PriceCursor {
  readonly #prices: Prices;
  #observations = 0;

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  at(seconds: number): number {
    const { timestamp, usd } = this.#prices;
    while (this.#observations < timestamp.length && timestamp[this.#observations] <= seconds) this.#observations++;
    return this.#observations === 0 ? 0 : usd[this.#observations - 1];
  }
}
