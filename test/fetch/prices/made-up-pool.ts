/** A made-up pool with concentrated liquidity, from its first event on: its liquidity is always that of its positions. */

import * as fc from "fast-check";
import { HourlyPrices, type HourPrice } from "../../../builder/fetch/prices/hourly.ts";
import type { PricedPool } from "../../../builder/fetch/prices/pools/pool.ts";
import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { rootAt } from "../../../builder/fetch/prices/pools/positions.ts";
import { HOUR_SECONDS } from "../../../data-schema/text.ts";

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
    const around = this.#positions.filter((position) => this.#isAround(position));
    return around.reduce((sum, { liquidity }) => sum + liquidity, 0n);
  }

  #isAround({ range: [lower, upper] }: { range: Range }): boolean {
    return lower <= this.tick && this.tick < upper;
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

  /** What the pool pays is right where no position begins or ends on the way. */
  trade(time: number, root: bigint): PriceEvent {
    const { root: before, liquidity } = this;
    const paid =
      root < before
        ? (liquidity * (before - root)) / 2n ** 96n
        : (liquidity * (root - before) * 2n ** 96n) / root / before;
    return this.#price(time, root, root < before ? [1n, -paid] : [-paid, 1n]);
  }

  add(time: number, range: Range, liquidity: bigint): PriceEvent {
    this.#positions.push({ range, liquidity });
    return this.#event(time, { kind: "liquidity", lower: range[0], upper: range[1], delta: liquidity });
  }

  /** Takes out the oldest position, the newest, or the newest around the price, if there is one. */
  remove(time: number, which: "oldest" | "newest" | "around"): PriceEvent[] {
    const at =
      which === "oldest"
        ? 0
        : this.#positions.findLastIndex((position) => which === "newest" || this.#isAround(position));
    const [position] = at < 0 ? [] : this.#positions.splice(at, 1);
    if (!position) return [];
    const [lower, upper] = position.range;
    return [this.#event(time, { kind: "liquidity", lower, upper, delta: -position.liquidity })];
  }
}

/** A pool of its own in which somebody plays with narrow positions; against a dollar. */
export const NARROW: PricedPool = {
  address: `0x${"c1".padStart(40, "0")}`,
  kind: "uniswap-v3",
  isToken0: true,
  decimals: 18,
  quoteDecimals: 18,
  tickSpacing: 10,
  quote: { kind: "constant", usd: 1 },
};

/**
 * What happens in it: positions of a tick spacing or a few, for some blocks or hours, with little money and huge
 * liquidity; trades near and far.
 *
 * @param usd about its price
 * @param start time of its first event
 */
export const narrowHistories = (interval: number, usd: number, start: number): fc.Arbitrary<PriceEvent[]> =>
  fc
    .array(
      fc.record({
        does: fc.constantFrom("add", "add", "remove", "remove", "trade"),
        pause: fc.oneof(
          { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }) },
          { weight: 2, arbitrary: fc.integer({ min: 0, max: HOUR_SECONDS }) },
        ),
        factor: fc.oneof(
          { weight: 3, arbitrary: fc.double({ min: 0.999, max: 1.001, noNaN: true }) },
          { weight: 1, arbitrary: fc.constantFrom(0.7, 0.95, 1.04, 1.5) },
        ),
        away: fc.integer({ min: -40, max: 40 }),
        spacings: fc.constantFrom(1, 1, 2, 50),
        money: fc.constantFrom(1, 100, 1_500),
      }),
      { minLength: 3, maxLength: 30 },
    )
    .map((steps) => {
      const pool = new MadeUpPool(NARROW.address);
      const dollars = (amount: number) => BigInt(Math.round(amount * 1e6)) * 10n ** 12n;
      let time = start;
      const events = [
        pool.initialise(time, rootOf(usd)),
        pool.add(time, [-887_270, 887_270], dollars(1_500 / Math.sqrt(usd))),
      ];
      for (const { does, pause, factor, away, spacings, money } of steps) {
        time += pause - (pause % interval);
        // Other positions that come and go leave nothing that a proof could see.
        if (does === "remove") events.push(...pool.remove(time, "around"));
        else if (does === "trade") events.push(pool.trade(time, rootOf(usd * factor)));
        else {
          const lower = Math.floor(pool.tick / 10 + away * (away % 3 === 0 ? 1 : 0)) * 10;
          // √1.0001^10 is 1.0005: a spacing holds about 1 / 2,000 of its virtual reserve.
          const liquidity = dollars((money * 2_000) / spacings / Math.sqrt(usd));
          events.push(pool.add(time, [lower, lower + 10 * spacings], liquidity));
        }
      }
      return events;
    });

/** A pool of Uniswap v2 with 2,000,000 USD about a price of 1, in which others trade. */
const HONEST: PricedPool = { ...NARROW, address: `0x${"c2".padStart(40, "0")}`, kind: "uniswap-v2" };

/** What happens in an honest pool, and in one in which somebody plays with narrow positions. */
export const besideHonest = (start: number): fc.Arbitrary<{ honest: PriceEvent[]; narrow: PriceEvent[] }> => {
  const trade = fc.record({
    pause: fc.integer({ min: 12, max: 2 * HOUR_SECONDS }),
    usd: fc.double({ min: 0.97, max: 1.03, noNaN: true }),
  });
  const honest = fc.array(trade, { minLength: 1, maxLength: 12 }).map((trades) => {
    let time = start - HOUR_SECONDS;
    return trades.map(({ pause, usd }, index): PriceEvent => {
      time += index === 0 ? 0 : pause;
      const [tokens, dollars] = [1 / Math.sqrt(usd), Math.sqrt(usd)].map((part) => BigInt(Math.round(part * 2e12)));
      const change = { kind: "reserves", reserve0: tokens! * 10n ** 12n, reserve1: dollars! * 10n ** 12n } as const;
      return { address: HONEST.address, time, block: 0, logIndex: 0, change };
    });
  });
  return fc.record({ honest, narrow: narrowHistories(12, 1, start - HOUR_SECONDS) });
};

/**
 * At most 30 positions of 1,500 USD weigh as 93,000 USD, and by more than a tenth they stray in vain: together, they move
 * an hour by less than half a percent.
 *
 * @throws {Error} an hour was moved
 */
export function checkUnmoved({ honest, narrow }: { honest: PriceEvent[]; narrow: PriceEvent[] }, start: number): void {
  const all = [...honest, ...narrow].toSorted((a, b) => a.time - b.time);
  const end = start + 12 * HOUR_SECONDS;
  const hours = (pools: PricedPool[], events: PriceEvent[]): HourPrice[] => {
    const hourly = new HourlyPrices(pools, start);
    return [
      ...events.filter(({ time }) => time < end).flatMap((event) => [...hourly.take(event)]),
      ...hourly.until(end),
    ];
  };
  const alone = hours([HONEST], honest);
  for (const [index, { end, usd }] of hours([HONEST, NARROW], all).entries()) {
    const honestUsd = alone[index]!.usd;
    if (alone[index]!.end === end && Math.abs(usd - honestUsd) <= 0.005 * honestUsd) continue;
    throw new Error(`Narrow positions moved the hour that ends at ${end} from ${honestUsd} to ${usd}`);
  }
}
