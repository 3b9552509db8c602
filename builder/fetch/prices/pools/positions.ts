/**
 * The positions in a pool with concentrated liquidity: what its liquidity is at every price, and so how much it pays before
 * its price has moved far. Source: UniswapV3Pool and its libraries Tick and TickMath.
 */

import { firstIndex } from "../../../../data-schema/search.ts";

/** A tick at which positions begin or end. */
interface Tick {
  tick: number;
  /** What the liquidity grows by where the price rises through the tick. */
  net: bigint;
  /** That of its price, and of the inverse. */
  root: bigint;
  inverse: bigint;
}

/** Bits of a root of a price, and of an inverse of one, which has to be as exact. */
const ROOT_BITS = 96n;
const INVERSE_BITS = 192n;

/** The ticks in which the root of a price halves or doubles: log 2 / log √1.0001, and a part of one. */
export const HALVING = 13_864;

/** The liquidity over the root of the price, or over its inverse, which rises from the last tick to the first. */
interface Curve {
  /** The roots at which liquidity changes, ascending. */
  ends: readonly bigint[];
  /** From each of them to the next, and beyond the last. */
  liquidity: readonly bigint[];
  /** Up to each of them: liquidity times the way. */
  sums: readonly bigint[];
}

export class Positions {
  /** Ascending; none has a net of 0. */
  readonly #ticks: Tick[] = [];
  /** What follows from the ticks as they are: swaps are many, changes of positions few. */
  #below: readonly bigint[] | undefined;
  readonly #curves: { root?: Curve | undefined; inverse?: Curve | undefined } = {};

  get ticks(): readonly Readonly<Tick>[] {
    return this.#ticks;
  }

  add(lower: number, upper: number, liquidity: bigint): void {
    this.change(lower, liquidity);
    this.change(upper, -liquidity);
  }

  change(tick: number, net: bigint): void {
    const at = countUpTo(this.#ticks, (other) => other.tick < tick);
    const found = this.#ticks[at]?.tick === tick ? this.#ticks[at] : undefined;
    if (found === undefined) this.#ticks.splice(at, 0, newTick(tick, net));
    else found.net += net;
    if (this.#ticks[at]!.net === 0n) this.#ticks.splice(at, 1);
    this.#below = undefined;
    this.#curves.root = undefined;
    this.#curves.inverse = undefined;
  }

  /** The liquidity of all positions around a tick. */
  liquidityAt(tick: number): bigint {
    return this.#liquidity[countUpTo(this.#ticks, (other) => other.tick <= tick)]!;
  }

  /** By how many ticks lie below. */
  get #liquidity(): readonly bigint[] {
    this.#below ??= runningSums(this.#ticks.map(({ net }) => net));
    return this.#below;
  }

  /**
   * Twice what the pool pays until the root of its price has halved (a quarter of the price is left), in raw units of
   * token1; or, until it has doubled, of token0. With liquidity that is the same at all prices, as in Uniswap v2, that is
   * the reserve.
   */
  depth(sqrtPriceX96: bigint, isOfToken1: boolean): bigint {
    if (isOfToken1) {
      this.#curves.root ??= curveOf(
        this.#ticks.map(({ root }) => root),
        this.#liquidity.slice(1),
      );
      return paidToHalf(this.#curves.root, sqrtPriceX96) >> ROOT_BITS;
    }
    this.#curves.inverse ??= curveOf(
      this.#ticks.map(({ inverse }) => inverse).reverse(),
      this.#liquidity.slice(0, -1).reverse(),
    );
    return paidToHalf(this.#curves.inverse, inverseOf(sqrtPriceX96)) >> INVERSE_BITS;
  }
}

function newTick(tick: number, net: bigint): Tick {
  const root = rootAt(tick);
  return { tick, net, root, inverse: inverseOf(root) };
}

const inverseOf = (root: bigint) => (1n << (ROOT_BITS + INVERSE_BITS)) / root;

function curveOf(ends: readonly bigint[], liquidity: readonly bigint[]): Curve {
  const sums = runningSums(ends.slice(1).map((end, at) => liquidity[at]! * (end - ends[at]!)));
  return { ends, liquidity, sums };
}

/** Sums of the first item, the first two, and so on, after a 0 for none. */
function runningSums(items: readonly bigint[]): bigint[] {
  const sums = [0n];
  for (const item of items) sums.push(sums.at(-1)! + item);
  return sums;
}

/** Twice the liquidity times the way from a root down to its half. */
function paidToHalf({ ends, liquidity, sums }: Curve, root: bigint): bigint {
  // Doubled, so that the half is whole.
  const upTo = (twice: bigint) => {
    const at = countUpTo(ends, (end) => 2n * end <= twice) - 1;
    return at < 0 ? 0n : 2n * sums[at]! + liquidity[at]! * (twice - 2n * ends[at]!);
  };
  return upTo(2n * root) - upTo(root);
}

/** How many of the first items meet a condition that all after them fail. */
const countUpTo = <T>(items: readonly T[], meets: (item: T) => boolean): number =>
  firstIndex(items.length, (index) => !meets(items[index]!));

/** 2^128 / 1.0001^(2^i / 2), by the bit i of a tick. */
const POWERS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

/** The root of a tick's price, times 2^96, as TickMath.getSqrtRatioAtTick rounds it. */
export function rootAt(tick: number): bigint {
  const size = Math.abs(tick);
  let ratio = 1n << 128n;
  for (const [bit, power] of POWERS.entries()) if (size & (1 << bit)) ratio = (ratio * power) >> 128n;
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio;
  return (ratio + (1n << 32n) - 1n) >> 32n;
}
