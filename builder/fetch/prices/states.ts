/** The standing price and depth of a pool or a feed, as its events change them. */

import type { Change } from "./events.ts";
import { type Fraction, powerOfTen } from "./fixed-point.ts";

/** A price holds for at most seven days after the last trade or answer; then the pool or the feed counts as dead. */
export const LONGEST_STANDING = 7 * 86_400;

/** What a pool says while it stands: one token in the other, and how much of the other there is to trade with. */
export interface Standing {
  /** Whole quote tokens per whole token. */
  price: Fraction;
  /** Raw units of the quote token. */
  depth: bigint;
}

/** Which token of a pool is priced, and the decimals that turn raw units into whole tokens. */
export interface PoolShape {
  kind: "uniswap-v2" | "uniswap-v3";
  /** Whether the priced token is token0; the quote token is the other. */
  isToken0: boolean;
  decimals: number;
  quoteDecimals: number;
}

/** The state of a pool after its events so far. */
export class PoolState {
  readonly #shape: PoolShape;
  /** Undefined: not computed since the last event. */
  #standing: Standing | null | undefined;
  #reserves: [bigint, bigint] = [0n, 0n];
  #sqrtPriceX96 = 0n;
  #liquidity = 0n;
  #tick = 0;
  /** Time of the last trade, Unix seconds. */
  lastSeconds = Number.NEGATIVE_INFINITY;

  constructor(shape: PoolShape) {
    this.#shape = shape;
  }

  apply(change: Change, time: number): void {
    this.#standing = undefined;
    if (change.kind === "reserves") {
      this.#reserves = [change.reserve0, change.reserve1];
      this.lastSeconds = time;
    } else if (change.kind === "price") {
      this.#sqrtPriceX96 = change.sqrtPriceX96;
      this.#liquidity = change.liquidity;
      this.#tick = change.tick;
      this.lastSeconds = time;
    } else if (change.kind === "liquidity") {
      // Only liquidity around the price can be traded with. Uniswap v3 core, UniswapV3Pool._modifyPosition.
      if (change.lower <= this.#tick && this.#tick < change.upper) this.#liquidity += change.delta;
    }
  }

  /** Null while the pool has no price. */
  get standing(): Standing | null {
    if (this.#standing === undefined) this.#standing = this.#shape.kind === "uniswap-v2" ? this.#v2() : this.#v3();
    return this.#standing;
  }

  /** The price is the ratio of the reserves. */
  #v2(): Standing | null {
    const [reserve0, reserve1] = this.#reserves;
    const [own, quote] = this.#shape.isToken0 ? [reserve0, reserve1] : [reserve1, reserve0];
    if (own === 0n || quote === 0n) return null;
    return { price: this.#whole(quote, own), depth: quote };
  }

  /** The price is the square of sqrtPriceX96 / 2^96, or its inverse; the depth is the virtual reserve, L·√P. */
  #v3(): Standing | null {
    const { isToken0 } = this.#shape;
    const root = this.#sqrtPriceX96;
    if (root === 0n || this.#liquidity <= 0n) return null;
    const [own, quote] = isToken0 ? [1n << 192n, root * root] : [root * root, 1n << 192n];
    const depth = isToken0 ? (this.#liquidity * root) >> 96n : (this.#liquidity << 96n) / root;
    return { price: this.#whole(quote, own), depth };
  }

  /** A ratio of raw units in whole tokens. */
  #whole(quote: bigint, own: bigint): Fraction {
    const { decimals, quoteDecimals } = this.#shape;
    return { numerator: quote * powerOfTen(decimals), denominator: own * powerOfTen(quoteDecimals) };
  }
}

/** The last answer of a feed, whichever of its aggregators gave it. */
export class FeedState {
  readonly #decimals: number;
  /** USD per whole token; null before the first answer. */
  price: Fraction | null = null;
  lastSeconds = Number.NEGATIVE_INFINITY;

  constructor(decimals: number) {
    this.#decimals = decimals;
  }

  apply(change: Change, time: number): void {
    // Answers of 0 and below are a feed's way of failing; the one before stands.
    if (change.kind !== "answer" || change.answer <= 0n) return;
    this.price = { numerator: change.answer, denominator: powerOfTen(this.#decimals) };
    this.lastSeconds = time;
  }
}
