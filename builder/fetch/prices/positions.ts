/**
 * The positions in a pool with concentrated liquidity: what its liquidity is at every price, and so how much it pays before
 * its price has moved far. Source: UniswapV3Pool and its libraries Tick and TickMath.
 */

/** A tick at which positions begin or end. */
interface Tick {
  tick: number;
  /** What the liquidity grows by where the price rises through the tick. */
  net: bigint;
}

/** Bits of a root of a price, and of an inverse of one, which has to be as exact. */
const ROOT_BITS = 96n;
const INVERSE_BITS = 192n;

/** The ticks in which the root of a price halves or doubles: log 2 / log √1.0001, and a part of one. */
export const HALVING = 13_864;

export class Positions {
  /** Ascending; none has a net of 0. */
  readonly #ticks: Tick[] = [];

  get ticks(): readonly Readonly<Tick>[] {
    return this.#ticks;
  }

  add(lower: number, upper: number, liquidity: bigint): void {
    this.change(lower, liquidity);
    this.change(upper, -liquidity);
  }

  change(tick: number, net: bigint): void {
    const found = this.#ticks.findIndex((other) => other.tick >= tick);
    const at = found < 0 ? this.#ticks.length : found;
    const before = this.#ticks[at]?.tick === tick ? this.#ticks[at].net : undefined;
    const after = (before ?? 0n) + net;
    this.#ticks.splice(at, before === undefined ? 0 : 1, ...(after === 0n ? [] : [{ tick, net: after }]));
  }

  /** The liquidity of all positions around a tick. */
  liquidityAt(tick: number): bigint {
    return this.#ticks.reduce((sum, { tick: other, net }) => (other <= tick ? sum + net : sum), 0n);
  }

  /**
   * Twice what the pool pays until the root of its price has halved (a quarter of the price is left), in raw units of
   * token1; or, until it has doubled, of token0. With liquidity that is the same at all prices, as in Uniswap v2, that is
   * the reserve.
   *
   * @param tick that of the price
   */
  depth(tick: number, sqrtPriceX96: bigint, isOfToken1: boolean): bigint {
    const bits = isOfToken1 ? ROOT_BITS : INVERSE_BITS;
    /** Falls along the way, in both directions. */
    const measure = (root: bigint) => (isOfToken1 ? root : (1n << (ROOT_BITS + INVERSE_BITS)) / root);
    const ahead = isOfToken1
      ? this.#ticks.filter((other) => other.tick <= tick).reverse()
      : this.#ticks.filter((other) => other.tick > tick);
    const start = measure(sqrtPriceX96);
    let liquidity = this.liquidityAt(tick);
    let [at, twice] = [start, 0n];
    for (const { tick: next, net } of ahead) {
      const end = measure(rootAt(next));
      if (end * 2n <= start) break;
      twice += liquidity * (at - end) * 2n;
      liquidity += isOfToken1 ? -net : net;
      at = end;
    }
    return (twice + liquidity * (at * 2n - start)) >> bits;
  }
}

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
