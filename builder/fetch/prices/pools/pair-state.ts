/** Pools of two reserves: Uniswap v2 and its kin. Source: UniswapV2Pair._update; Aerodrome's Pool._update. */

import { type Facts, type PoolShape, type PoolState, type Standing, wholePrice } from "./pool.ts";
import type { PoolChange } from "./pool-events.ts";

/** What a pool adds to its two accumulators for each second that its reserves stand. */
export type Growth = (reserve0: bigint, reserve1: bigint) => readonly [bigint, bigint];

const Q112 = 1n << 112n;

/** Prices, as unsigned fixed-point numbers of 112 fractional bits. */
export const PRICES: Growth = (reserve0, reserve1) => [(reserve1 * Q112) / reserve0, (reserve0 * Q112) / reserve1];
export const RESERVES: Growth = (reserve0, reserve1) => [reserve0, reserve1];

export class PairState implements PoolState {
  readonly #shape: PoolShape;
  readonly #growth: Growth;
  #reserve0 = 0n;
  #reserve1 = 0n;
  #updated = 0;
  #cumulative0 = 0n;
  #cumulative1 = 0n;

  constructor(shape: PoolShape, growth: Growth) {
    this.#shape = shape;
    this.#growth = growth;
  }

  apply(change: PoolChange, time: number): undefined {
    if (change.kind !== "reserves") return;
    const seconds = BigInt(time - this.#updated);
    // In a pool's first event, nothing stood before.
    if (seconds > 0n && this.#reserve0 > 0n && this.#reserve1 > 0n) {
      const [growth0, growth1] = this.#growth(this.#reserve0, this.#reserve1);
      this.#cumulative0 = BigInt.asUintN(256, this.#cumulative0 + growth0 * seconds);
      this.#cumulative1 = BigInt.asUintN(256, this.#cumulative1 + growth1 * seconds);
    }
    [this.#reserve0, this.#reserve1, this.#updated] = [change.reserve0, change.reserve1, time];
  }

  get lastSeconds(): number {
    return this.#updated || Number.NEGATIVE_INFINITY;
  }

  /** The price is the ratio of the reserves. */
  get standing(): Standing | null {
    const reserves = [this.#reserve0, this.#reserve1] as const;
    const [own, quote] = this.#shape.isToken0 ? reserves : [reserves[1], reserves[0]];
    if (own === 0n || quote === 0n) return null;
    return { price: wholePrice(quote, own, this.#shape), depth: quote };
  }

  get facts(): Facts {
    return {
      reserve0: this.#reserve0,
      reserve1: this.#reserve1,
      updated: BigInt(this.#updated),
      cumulative0: this.#cumulative0,
      cumulative1: this.#cumulative1,
    };
  }

  restore({ reserve0 = 0n, reserve1 = 0n, updated = 0n, cumulative0 = 0n, cumulative1 = 0n }: Facts): void {
    [this.#reserve0, this.#reserve1, this.#updated] = [reserve0, reserve1, Number(updated)];
    [this.#cumulative0, this.#cumulative1] = [cumulative0, cumulative1];
  }
}
