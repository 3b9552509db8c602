/** Made-up pools and feeds, and random histories of their events. */

import * as fc from "fast-check";
import type { PricedPool } from "../../../builder/fetch/prices/pools/pool.ts";
import { PRICE_EVENTS, type PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import { MadeUpPool, WHOLE_RANGE } from "./made-up-pool.ts";

export const START = 1_700_000_000 - (1_700_000_000 % HOUR_SECONDS);
export const DAY = 24 * HOUR_SECONDS;

const address = (digits: string) => `0x${digits.padStart(40, "0")}`;
const [V2_WETH, V3_USDC, V2_WBTC, WBTC_USDC, OLD, NEW] = ["a1", "a2", "a3", "b1", "f1", "f2"].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

/** Against a token with a feed of two aggregators. */
export const WETH: PricedPool = {
  address: V2_WETH,
  kind: "uniswap-v2",
  isToken0: true,
  decimals: 18,
  quoteDecimals: 18,
  quote: { kind: "feed", address: address("fe"), aggregators: [OLD, NEW], decimals: 8 },
};
/** Against a stablecoin of a constant worth. */
export const USDC: PricedPool = {
  address: V3_USDC,
  kind: "uniswap-v3",
  isToken0: false,
  decimals: 18,
  quoteDecimals: 6,
  quote: { kind: "constant", usd: 0.9995 },
};
/** Against a token that a pool prices. */
export const WBTC: PricedPool = {
  address: V2_WBTC,
  kind: "uniswap-v2",
  isToken0: false,
  decimals: 18,
  quoteDecimals: 8,
  quote: {
    kind: "pool",
    pool: { address: WBTC_USDC, kind: "uniswap-v3", isToken0: true, decimals: 8, quoteDecimals: 6 },
  },
};

/** Where an event is. Its block and log index matter only on a chain. */
const at = (address: string, time: number) => ({ address, time, block: 0, logIndex: 0 });

export const sync = (address: string, time: number, reserve0: bigint, reserve1: bigint): PriceEvent => ({
  ...at(address, time),
  change: { kind: "reserves", reserve0, reserve1 },
});

export const swap = (address: string, time: number, price1For0: number, liquidity: bigint): PriceEvent => ({
  ...at(address, time),
  change: {
    kind: "price",
    sqrtPriceX96: (BigInt(Math.round(Math.sqrt(price1For0) * 2 ** 60)) << 96n) >> 60n,
    liquidity,
    tick: Math.floor(Math.log(price1For0) / Math.log(1.0001)),
    amount0: 3n,
    amount1: -4n,
  },
});

export const liquidity = (
  address: string,
  time: number,
  [lower, upper]: readonly [number, number],
  delta: bigint,
): PriceEvent => ({ ...at(address, time), change: { kind: "liquidity", lower, upper, delta } });

export const answer = (address: string, time: number, usd: number, round = 1n): PriceEvent => ({
  ...at(address, time),
  change: { kind: "answer", answer: BigInt(Math.round(usd * 1e8)), round, updated: time },
});

/**
 * Prices that wander, jump, and are undone within a block; depths around the floor; pauses of up to nine days. Pools of
 * concentrated liquidity are known from their first event on, or from a later one.
 *
 * @param interval seconds between blocks
 */
export const histories = (interval = 1): fc.Arbitrary<PriceEvent[]> =>
  fc
    .tuple(laterHistories(interval), fc.boolean())
    .map(([events, isWhole]) => (isWhole ? fromTheFirstEvent(events) : events));

/** Histories of pools whose first events are not known. */
export const laterHistories = (interval = 1): fc.Arbitrary<PriceEvent[]> =>
  fc
    .array(
      fc.record({
        address: fc.constantFrom(V2_WETH, V2_WETH, V3_USDC, V3_USDC, V2_WBTC, WBTC_USDC, OLD, NEW),
        pause: fc.oneof(
          { weight: 30, arbitrary: fc.integer({ min: 0, max: 900 }) },
          { weight: 5, arbitrary: fc.integer({ min: 0, max: 9_000 }) },
          { weight: 1, arbitrary: fc.integer({ min: 6 * DAY, max: 9 * DAY }) },
        ),
        factor: fc.oneof(
          { weight: 3, arbitrary: fc.double({ min: 0.9, max: 1.13, noNaN: true }) },
          { weight: 1, arbitrary: fc.constantFrom(0.01, 0.45, 0.5, 1.9, 2.1, 2.9, 50) },
        ),
        depth: fc.constantFrom(0, 1_000, 1_000.5, 20_000, 5_000_000, 6_000_000, 7_000_000),
        range: fc.constantFrom(
          undefined,
          undefined,
          undefined,
          [-800_000, 800_000] as const,
          [-800_000, -700_000] as const,
        ),
      }),
      { minLength: 20, maxLength: 60 },
    )
    .map((steps) => {
      let time = START - 3 * HOUR_SECONDS;
      const rounds = new Map<string, bigint>();
      const standing = [OLD, V2_WETH, V3_USDC, V2_WBTC, WBTC_USDC].map((address) => ({
        address,
        pause: 600,
        factor: 1,
        depth: 5_000_000,
        range: undefined,
      }));
      return [...standing, ...steps].map(({ address, pause, factor, depth, range }): PriceEvent => {
        time += pause - (pause % interval);
        const usd = 0.02 * factor;
        if (address === OLD || address === NEW) {
          const round = (rounds.get(address) ?? 0n) + 1n;
          rounds.set(address, round);
          return answer(address, time, 2000 * factor, round);
        }
        if (range && (address === V3_USDC || address === WBTC_USDC)) {
          return liquidity(address, time, range, BigInt(Math.round(depth * 1e9)));
        }
        const tokens = BigInt(Math.round((depth / usd) * 1e6)) * 10n ** 12n;
        if (address === V2_WETH)
          return sync(address, time, tokens, BigInt(Math.round((depth / 2000) * 1e12)) * 10n ** 6n);
        if (address === V2_WBTC) return sync(address, time, BigInt(Math.round((depth / 50_000) * 1e8)), tokens);
        if (address === WBTC_USDC) return swap(address, time, 500 * factor, BigInt(Math.round(depth * 1e5)));
        // token1 is priced: token1 for token0 is 10^12 / usd, both raw; L = √(xy).
        return swap(address, time, 1e12 / usd, BigInt(Math.round((depth * 1e6) / Math.sqrt(usd / 1e12))));
      });
    });

/** The trades, with liquidity from positions, narrow ones and wide ones, since the pool's first event. */
function fromTheFirstEvent(events: readonly PriceEvent[]): PriceEvent[] {
  const pools = new Map<string, MadeUpPool>();
  return events.flatMap((event, index): PriceEvent[] => {
    const { address, time, change } = event;
    if (change.kind !== "price" && change.kind !== "liquidity") return [event];
    const known = pools.get(address);
    const pool = known ?? new MadeUpPool(address);
    pools.set(address, pool);
    if (change.kind === "liquidity") {
      if (index % 3 === 0) return pool.remove(time, "newest");
      return change.delta === 0n ? [] : [pool.add(time, [change.lower, change.upper], change.delta)];
    }
    const { sqrtPriceX96, liquidity, tick } = change;
    const range = [WHOLE_RANGE, [tick - 9_000, tick + 20_000] as const, [tick - 60, tick + 1] as const][index % 3]!;
    return [
      ...(known ? pool.remove(time, "oldest") : [pool.initialise(time, sqrtPriceX96)]),
      ...(liquidity === 0n ? [] : [pool.add(time, range, liquidity)]),
      pool.trade(time, sqrtPriceX96),
    ];
  });
}

const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, "0");
const topic = (name: string) => PRICE_EVENTS.find(({ signature }) => signature.startsWith(`${name}(`))!.topic;

/** The topics and the data of an event's log. */
export function encodeChange({ change }: PriceEvent): { topics: string[]; data: string } {
  const log = (name: string, indexed: bigint[], words: bigint[]) => ({
    topics: [topic(name), ...indexed.map((value) => `0x${word(value)}`)],
    data: `0x${words.map(word).join("")}`,
  });
  switch (change.kind) {
    case "reserves":
      return log("Sync", [], [change.reserve0, change.reserve1]);
    case "price":
      return log(
        "Swap",
        [1n, 2n],
        [change.amount0, change.amount1, change.sqrtPriceX96, change.liquidity, BigInt(change.tick)],
      );
    case "answer":
      return log("AnswerUpdated", [change.answer, change.round], [BigInt(change.updated)]);
    default: {
      const ticks = [BigInt(change.lower), BigInt(change.upper)];
      if (change.delta < 0n) return log("Burn", [1n, ...ticks], [-change.delta, 1n, 2n]);
      return log("Mint", [1n, ...ticks], [2n, change.delta, 3n, 4n]);
    }
  }
}
