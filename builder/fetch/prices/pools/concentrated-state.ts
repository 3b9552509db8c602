/** Pools of concentrated liquidity: Uniswap v3 and its kin. Source: UniswapV3Pool and its libraries Oracle and SqrtPriceMath. */

import { type Facts, type PoolShape, type PoolState, type Standing, wholePrice } from "./pool.ts";
import type { PoolChange } from "./pool-events.ts";
import { Positions } from "./positions.ts";
import { factsOf, positionsOf } from "./tick-facts.ts";

const Q96 = 1n << 96n;

export class ConcentratedState implements PoolState {
  readonly #shape: PoolShape;
  /** Undefined: not computed since the last event. */
  #standing: Standing | null | undefined;
  #sqrtPriceX96 = 0n;
  #tick = 0;
  #liquidity = 0n;
  /** Known where all events since the pool's first one are. */
  #positions: Positions | undefined;
  /** The time of the last trade. */
  #traded = 0;
  /** The last observation. */
  #observed = 0;
  #tickCumulative = 0n;
  #secondsPerLiquidity = 0n;

  constructor(shape: PoolShape) {
    this.#shape = shape;
  }

  apply(change: PoolChange, time: number): string | undefined {
    if (change.kind === "price") {
      const gap = this.#gapBefore(change);
      if (isInitialisation(change) && this.#sqrtPriceX96 === 0n) this.#positions = new Positions();
      if (this.#observed === 0) this.#observed = time;
      else if (change.tick !== this.#tick) this.#observe(time);
      this.#sqrtPriceX96 = change.sqrtPriceX96;
      this.#tick = change.tick;
      this.#liquidity = change.liquidity;
      this.#traded = time;
      this.#standing = undefined;
      return gap;
    }
    if (change.kind !== "liquidity" || change.delta === 0n) return undefined;
    this.#positions?.add(change.lower, change.upper, change.delta);
    // A position beyond the price is within the way that depth looks at.
    this.#standing = undefined;
    if (change.lower <= this.#tick && this.#tick < change.upper) {
      // Only liquidity around the price can be traded with. Source: UniswapV3Pool._modifyPosition.
      this.#observe(time);
      this.#liquidity += change.delta;
    }
    return undefined;
  }

  /** Adds what has stood since the last observation. The first event of a second writes it: Oracle.write. */
  #observe(time: number): void {
    const seconds = BigInt(time - this.#observed);
    if (this.#observed === 0 || seconds <= 0n) return;
    this.#observed = time;
    this.#tickCumulative = BigInt.asIntN(56, this.#tickCumulative + BigInt(this.#tick) * seconds);
    const divisor = this.#liquidity > 0n ? this.#liquidity : 1n;
    this.#secondsPerLiquidity = BigInt.asUintN(160, this.#secondsPerLiquidity + (seconds << 128n) / divisor);
  }

  /**
   * Whether a swap begins at another price than the event before has left, or ends at another liquidity than that of the
   * positions there. Trades within a tick leave no observation: if
   * one is missing, only what the next one paid out tells. The sum is known where no liquidity can have come or gone on
   * the way: between two multiples of the tick spacing.
   */
  #gapBefore({ sqrtPriceX96, tick, liquidity, amount0, amount1 }: Extract<PoolChange, { kind: "price" }>) {
    const { tickSpacing } = this.#shape;
    if (this.#positions && this.#positions.liquidityAt(tick) !== liquidity) {
      return "its liquidity is not that of the positions that events before have left";
    }
    const isFirst = this.#sqrtPriceX96 === 0n || (amount0 === 0n && amount1 === 0n);
    if (isFirst || tickSpacing === undefined) return undefined;
    if (Math.floor(tick / tickSpacing) !== Math.floor(this.#tick / tickSpacing)) return undefined;
    if (liquidity !== this.#liquidity) return "its liquidity is not what events before have left";
    const before = this.#sqrtPriceX96;
    const isFalling = sqrtPriceX96 < before;
    // The pool pays token1 out while its price falls, else token0, rounded down; the price is rounded, too.
    const paid = isFalling ? -amount1 : -amount0;
    const [nearer, farther] = isFalling
      ? [sqrtPriceX96 + 1n, sqrtPriceX96 - 1n]
      : [sqrtPriceX96 - 1n, sqrtPriceX96 + 1n];
    const out = (price: bigint) => paidBetween(before, price, liquidity, isFalling);
    const isRight = paid >= out(nearer) - 1n && paid <= out(farther) + 1n;
    return isRight ? undefined : "a swap does not begin at the price that events before have left";
  }

  get lastSeconds(): number {
    return this.#traded || Number.NEGATIVE_INFINITY;
  }

  get standing(): Standing | null {
    if (this.#standing === undefined) this.#standing = this.#compute();
    return this.#standing;
  }

  /**
   * The price is the square of sqrtPriceX96 / 2^96, or its inverse. The depth is what positions pay, which takes as much
   * money; where they are not known, the virtual reserve, L·√P, which a narrow position makes large with little.
   */
  #compute(): Standing | null {
    const { isToken0 } = this.#shape;
    const root = this.#sqrtPriceX96;
    if (root === 0n || this.#liquidity <= 0n) return null;
    const [own, quote] = isToken0 ? [1n << 192n, root * root] : [root * root, 1n << 192n];
    const virtual = isToken0 ? (this.#liquidity * root) >> 96n : (this.#liquidity << 96n) / root;
    const depth = this.#positions?.depth(root, isToken0) ?? virtual;
    return { price: wholePrice(quote, own, this.#shape), depth };
  }

  get facts(): Facts {
    return {
      sqrtPriceX96: this.#sqrtPriceX96,
      tick: BigInt(this.#tick),
      liquidity: this.#liquidity,
      observed: BigInt(this.#observed),
      tickCumulative: this.#tickCumulative,
      secondsPerLiquidity: this.#secondsPerLiquidity,
      traded: BigInt(this.#traded),
      ...(this.#positions && factsOf(this.#positions)),
    };
  }

  restore(facts: Facts): void {
    const { sqrtPriceX96 = 0n, tick = 0n, liquidity = 0n, traded = 0n, observed = 0n } = facts;
    const { tickCumulative = 0n, secondsPerLiquidity = 0n } = facts;
    [this.#sqrtPriceX96, this.#tick, this.#liquidity] = [sqrtPriceX96, Number(tick), liquidity];
    [this.#traded, this.#observed] = [Number(traded), Number(observed)];
    [this.#tickCumulative, this.#secondsPerLiquidity] = [tickCumulative, secondsPerLiquidity];
    this.#positions = positionsOf(facts);
    this.#standing = undefined;
  }
}

/** Whether it is the event of a pool that had no price; its liquidity can be 0 later, too. */
const isInitialisation = ({ liquidity, amount0, amount1 }: Extract<PoolChange, { kind: "price" }>) =>
  liquidity === 0n && amount0 === 0n && amount1 === 0n;

/** Raw units that a pool pays for a move of its price: of token1 while it falls, else of token0. */
function paidBetween(from: bigint, to: bigint, liquidity: bigint, isFalling: boolean): bigint {
  if (to <= 0n) return 0n;
  if (isFalling) return from > to ? (liquidity * (from - to)) / Q96 : 0n;
  return to > from ? ((liquidity << 96n) * (to - from)) / to / from : 0n;
}
