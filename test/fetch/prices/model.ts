/**
 * Hourly prices as docs/chain.md#prices defines them: slow and obvious. It looks at every second of every hour, and
 * goes through all events to see what stood then. Integers and exact fractions only.
 */

import type { HourPrice } from "../../../builder/fetch/prices/hourly.ts";
import type { PricedPool, Quote } from "../../../builder/fetch/prices/pools/pool.ts";
import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { rootAt } from "../../../builder/fetch/prices/pools/positions.ts";

const UNIT = 2n ** 192n;
const WEEK = 7 * 86_400;

/** Numerator and denominator. */
type Rational = [bigint, bigint];

interface Shape {
  kind: PricedPool["kind"];
  isToken0: boolean;
  decimals: number;
  quoteDecimals: number;
}

interface Said {
  since: number;
  price: Rational;
  depth: bigint;
}

/** The position that an event adds, or takes out. */
interface Position {
  lower: number;
  upper: number;
  delta: bigint;
}

/**
 * Twice what positions pay while the root of the price falls to its half, or rises to its double: each by itself, between
 * the roots at which it begins and ends. Fractions of 2^-96; those of inverses, of 2^-192.
 */
function paidTwice(positions: readonly Position[], root: bigint, isOfToken1: boolean): bigint {
  const fractions = isOfToken1 ? 2n ** 96n : 2n ** 192n;
  const scale = (value: bigint) => (isOfToken1 ? value : 2n ** 288n / value);
  const least = (a: bigint, b: bigint) => (a < b ? a : b);
  const price = scale(root);
  const paid = positions.map(({ lower, upper, delta }) => {
    const ends = [scale(rootAt(lower)), scale(rootAt(upper))] as const;
    const [low, high] = isOfToken1 ? ends : [ends[1], ends[0]];
    const top = 2n * least(high, price);
    const bottom = 2n * low > price ? 2n * low : price;
    return top > bottom ? delta * (top - bottom) : 0n;
  });
  return paid.reduce((sum, amount) => sum + amount, 0n) / fractions;
}

/** What a pool says after some of its events. */
function pool(shape: Shape, events: readonly PriceEvent[]): Said | undefined {
  let since: number | undefined;
  let [own, quote, depth] = [0n, 0n, 0n];
  let [root, liquidity, tick] = [0n, 0n, 0];
  const [begin] = events;
  const isWhole = begin?.change.kind === "price" && begin.change.liquidity === 0n && begin.change.amount0 === 0n;
  const positions = events.flatMap(({ change }) => (change.kind === "liquidity" ? [change] : []));
  for (const { time, change } of events) {
    if (change.kind === "reserves") {
      [own, quote] = [change.reserve0, change.reserve1];
      if (!shape.isToken0) [own, quote] = [quote, own];
      depth = quote;
      since = time;
    }
    if (change.kind === "price") {
      ({ sqrtPriceX96: root, liquidity, tick } = change);
      since = time;
    }
    if (change.kind === "liquidity" && change.lower <= tick && tick < change.upper) liquidity += change.delta;
  }
  if (since === undefined) return undefined;
  if (shape.kind !== "uniswap-v2" && shape.kind !== "aerodrome") {
    if (root === 0n || liquidity <= 0n) return undefined;
    // token1 for token0 is (root / 2^96)²; the virtual reserves are liquidity / (root / 2^96) and liquidity · root / 2^96.
    if (shape.isToken0) [own, quote, depth] = [2n ** 192n, root ** 2n, (liquidity * root) / 2n ** 96n];
    else [own, quote, depth] = [root ** 2n, 2n ** 192n, (liquidity * 2n ** 96n) / root];
    if (isWhole) depth = paidTwice(positions, root, shape.isToken0);
  }
  if (own === 0n || quote === 0n) return undefined;
  return { since, depth, price: [quote * 10n ** BigInt(shape.decimals), own * 10n ** BigInt(shape.quoteDecimals)] };
}

function quoteUsd(quote: Quote, events: readonly PriceEvent[]): { since: number; usd: Rational } | undefined {
  if (quote.kind === "constant") {
    const [whole = "", fraction = ""] = quote.usd.toFixed(10).split(".");
    return { since: Number.POSITIVE_INFINITY, usd: [BigInt(whole + fraction), 10n ** 10n] };
  }
  if (quote.kind === "feed") {
    const last = events.findLast(
      ({ address, change }) => quote.aggregators.includes(address) && change.kind === "answer" && change.answer > 0n,
    );
    if (last?.change.kind !== "answer") return undefined;
    return { since: last.time, usd: [last.change.answer, 10n ** BigInt(quote.decimals)] };
  }
  const said = pool(
    quote.pool,
    events.filter(({ address }) => address === quote.pool.address),
  );
  if (!said || said.depth < 1000n * 10n ** BigInt(quote.pool.quoteDecimals)) return undefined;
  return { since: said.since, usd: said.price };
}

/** Price and depth at a second, by all events up to it; undefined while there is none. */
function at(second: number, priced: PricedPool, events: readonly PriceEvent[]) {
  const said = pool(
    priced,
    events.filter(({ address }) => address === priced.address),
  );
  const quote = quoteUsd(priced.quote, events);
  if (!said || !quote) return undefined;
  if (second >= said.since + WEEK || second >= quote.since + WEEK) return undefined;
  const [n, d] = quote.usd;
  const depth = (said.depth * 1_000_000n * n) / (d * 10n ** BigInt(priced.quoteDecimals));
  if (depth < 1000n * 1_000_000n) return undefined;
  return { price: (said.price[0] * n * UNIT) / (said.price[1] * d), depth };
}

function median(items: { price: bigint; weight: bigint }[]): bigint {
  const prices = items.map(({ price }) => price).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const weightUpTo = (limit: bigint) =>
    items.filter(({ price }) => price <= limit).reduce((sum, { weight }) => sum + weight, 0n);
  const whole = weightUpTo(prices.at(-1)!);
  return prices.find((price) => 2n * weightUpTo(price) >= whole)!;
}

/** @param events all events, in order; the hours are those of [start, end) */
export function modelHours(pools: PricedPool[], events: PriceEvent[], start: number, end: number): HourPrice[] {
  const hours: HourPrice[] = [];
  // What was said changes with an event, and when it is a week old: neither happens in most seconds.
  const changes = new Set(events.flatMap(({ time }) => [time, time + WEEK]));
  for (let hour = start; hour < end; hour += 3600) {
    const stood: { price: bigint; depths: bigint[] }[] = [];
    for (const priced of pools) {
      const seconds: { price: bigint; depth: bigint; weight: bigint }[] = [];
      let last: ReturnType<typeof at>;
      for (let second = hour; second < hour + 3600; second++) {
        if (second === hour || changes.has(second)) {
          const before = events.filter(({ time }) => time <= second);
          last = at(second, priced, before);
        }
        if (last) seconds.push({ ...last, weight: 1n });
      }
      if (seconds.length === 0) continue;
      const middle = median(distinct(seconds));
      const kept = seconds.filter(({ price }) => price <= 2n * middle && 2n * price >= middle);
      const price = kept.reduce((sum, second) => sum + second.price, 0n) / BigInt(kept.length);
      stood.push({ price, depths: kept.map(({ depth }) => depth).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) });
    }
    const longest = Math.max(...stood.map(({ depths }) => depths.length));
    const averages = stood
      .filter(({ depths }) => depths.length >= longest / 2)
      .map(({ price, depths }) => {
        // Half of the seconds have this depth or less.
        const depth = depths[Math.ceil(depths.length / 2) - 1]!;
        return { price, weight: depth * BigInt(depths.length) };
      });
    if (averages.length === 0) continue;
    const middle = median(averages);
    const kept = averages.filter(({ price }) => 10n * price <= 11n * middle && 10n * price >= 9n * middle);
    const weight = kept.reduce((sum, { weight }) => sum + weight, 0n);
    const total = kept.reduce((sum, { price, weight }) => sum + price * weight, 0n);
    hours.push({ end: hour + 3600, usd: nearest(total, weight * UNIT) });
  }
  return hours;
}

/** Seconds of the same price as one item. */
function distinct(items: { price: bigint; weight: bigint }[]) {
  const byPrice = Map.groupBy(items, ({ price }) => price);
  return [...byPrice].map(([price, { length }]) => ({ price, weight: BigInt(length) }));
}

/** The double nearest to a fraction, by trying its neighbours. */
function nearest(numerator: bigint, denominator: bigint): number {
  // 1,100 bits hold every double exactly.
  const scaled = (numerator * 2n ** 1100n) / denominator;
  const guess = Number(scaled >> 900n) / 2 ** 200;
  const exact = (value: number) => BigInt(value * 2 ** 300) << 800n;
  const distance = (value: number) => (exact(value) > scaled ? exact(value) - scaled : scaled - exact(value));
  return [guess - guess * 2 ** -52, guess - guess * 2 ** -53, guess, guess + guess * 2 ** -52].reduce((best, value) =>
    distance(value) < distance(best) ? value : best,
  );
}
