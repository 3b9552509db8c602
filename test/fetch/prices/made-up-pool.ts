/** A made-up pool with concentrated liquidity, from its first event on: its liquidity is always that of its positions. */

import type { PriceEvent } from "../../../builder/fetch/prices/events.ts";
import { rootAt } from "../../../builder/fetch/prices/positions.ts";

export type Range = readonly [lower: number, upper: number];

/** All ticks that a pool has. */
const LAST_TICK = 887_272;
export const WHOLE_RANGE: Range = [-LAST_TICK, LAST_TICK];

/** The root of a price, times 2^96; of 60 bits, as a double gives it. */
export const rootOf = (price1For0: number): bigint => BigInt(Math.round(Math.sqrt(price1For0) * 2 ** 60)) << 36n;

/** The highest tick whose root is not above another. */
export function tickOf(root: bigint): number {
  let [low, high] = [-LAST_TICK, LAST_TICK];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (rootAt(middle) <= root) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class MadeUpPool {
  readonly address: string;
  tick = 0;
  root = 0n;
  readonly #positions: { range: Range; liquidity: bigint }[] = [];

  constructor(address: string) {
    this.address = address;
  }

  get liquidity(): bigint {
    return this.#positions.reduce(
      (sum, { range: [lower, upper], liquidity }) => (lower <= this.tick && this.tick < upper ? sum + liquidity : sum),
      0n,
    );
  }

  #event(time: number, change: PriceEvent["change"]): PriceEvent {
    return { address: this.address, time, block: 0, logIndex: 0, change };
  }

  #price(time: number, root: bigint, [amount0, amount1]: readonly [bigint, bigint]): PriceEvent {
    [this.root, this.tick] = [root, tickOf(root)];
    const { liquidity, tick } = this;
    return this.#event(time, { kind: "price", sqrtPriceX96: root, liquidity, tick, amount0, amount1 });
  }

  initialise(time: number, root: bigint): PriceEvent {
    return this.#price(time, root, [0n, 0n]);
  }

  trade(time: number, root: bigint): PriceEvent {
    return this.#price(time, root, [3n, -4n]);
  }

  add(time: number, range: Range, liquidity: bigint): PriceEvent {
    this.#positions.push({ range, liquidity });
    return this.#event(time, { kind: "liquidity", lower: range[0], upper: range[1], delta: liquidity });
  }

  /** Takes out the position that is the oldest, or the newest: none if there is none. */
  remove(time: number, which: "oldest" | "newest"): PriceEvent[] {
    const position = which === "oldest" ? this.#positions.shift() : this.#positions.pop();
    if (!position) return [];
    const [lower, upper] = position.range;
    return [this.#event(time, { kind: "liquidity", lower, upper, delta: -position.liquidity })];
  }
}
