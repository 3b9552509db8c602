/** Hourly prices from the events of pools and feeds, in one pass and in bounded memory. */

import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import {
  decimalFraction,
  type Fraction,
  ONE,
  powerOfTen,
  priceOf,
  priceToDouble,
  product,
} from "./pools/fixed-point.ts";
import type { PoolState, PricedPool, Quote } from "./pools/pool.ts";
import type { PriceEvent } from "./pools/pool-events.ts";
import { LONGEST_STANDING, PriceStates } from "./pools/pool-states.ts";

/** A pool counts while the side of its quote token is worth at least 1,000 USD; in millionths of a dollar. */
export const LEAST_DEPTH = 1_000n * 1_000_000n;

/** Chainlink's feeds answer at least once a day. */
const LATE_ANSWER = 25 * HOUR_SECONDS;

/** The price of the hour that ends at a time, Unix seconds. */
export interface HourPrice {
  end: number;
  usd: number;
}

/** Hours that are worth a notice. */
export interface HourlyNotices {
  /** How many hours left out a time or a pool as an outlier. */
  outliers: number;
  /** How many hours used an answer older than 25 hours, by feed. */
  late: Map<string, number>;
}

/** What a quote token is worth now. */
interface QuoteState {
  /** USD per whole token; null while unknown. */
  readonly price: Fraction | null;
  readonly lastSeconds: number;
  /** The name of the feed, for the notice. */
  readonly feed?: string;
}

function quoteState(quote: Quote, states: PriceStates): QuoteState {
  if (quote.kind === "constant") {
    return { price: decimalFraction(quote.usd), lastSeconds: Number.POSITIVE_INFINITY };
  }
  if (quote.kind === "feed") {
    const state = states.feeds.get(quote.address)!;
    return {
      get price() {
        return state.price;
      },
      get lastSeconds() {
        return state.lastSeconds;
      },
      feed: quote.address,
    };
  }
  const { state } = states.pools.get(quote.pool.address)!;
  return {
    // The other token of the pool is a stablecoin: one of it counts as one dollar.
    get price() {
      const { standing } = state;
      return standing && microUsd(standing.depth, ONE, quote.pool.quoteDecimals) >= LEAST_DEPTH ? standing.price : null;
    },
    get lastSeconds() {
      return state.lastSeconds;
    },
  };
}

/** The value of an amount in raw units, in millionths of a dollar, rounded down. */
export const microUsd = (amount: bigint, { numerator, denominator }: Fraction, decimals: number) =>
  (amount * 1_000_000n * numerator) / (denominator * powerOfTen(decimals));

/** A pool with the samples of the hour so far. */
class SampledPool {
  readonly pool: PricedPool;
  readonly state: PoolState;
  readonly quote: QuoteState;
  samples: Sample[] = [];
  /** Whether a sample used an old answer. */
  isLate = false;
  #from: number;

  constructor(pool: PricedPool, states: PriceStates, start: number) {
    this.pool = pool;
    this.state = states.pools.get(pool.address)!.state;
    this.quote = quoteState(pool.quote, states);
    this.#from = start;
  }

  /** Adds what stood until a time. */
  sampleUntil(time: number): void {
    const from = this.#from;
    if (time <= from) return;
    this.#from = time;
    const end = Math.min(time, this.state.lastSeconds + LONGEST_STANDING, this.quote.lastSeconds + LONGEST_STANDING);
    if (end <= from) return;
    const { standing } = this.state;
    const usd = this.quote.price;
    if (!standing || !usd) return;
    const depth = microUsd(standing.depth, usd, this.pool.quoteDecimals);
    if (depth < LEAST_DEPTH) return;
    this.samples.push({ price: priceOf(product(standing.price, usd)), depth, seconds: end - from });
    this.isLate ||= this.quote.lastSeconds + LATE_ANSWER < end;
  }
}

/**
 * Averages events into hours. A change counts from its block's time on, so what happens within a block weighs nothing:
 * a swap that is undone in the same block leaves no trace.
 */
export class HourlyPrices {
  readonly notices: HourlyNotices = { outliers: 0, late: new Map() };
  readonly #states: PriceStates;
  readonly #pools: SampledPool[];
  /** The pools whose price an event of an address may change. */
  readonly #affected = new Map<string, SampledPool[]>();
  #hourEnd: number;

  /**
   * @param start the first hour's begin, Unix seconds; events before it only set what stands then
   * @param states what stood before the first event
   */
  constructor(pools: readonly PricedPool[], start: number, states = new PriceStates(pools)) {
    this.#states = states;
    this.#hourEnd = start + HOUR_SECONDS;
    this.#pools = pools.map((pool) => new SampledPool(pool, states, start));
    for (const sampled of this.#pools) {
      for (const address of [sampled.pool.address, ...addressesOf(sampled.pool.quote)]) {
        this.#affected.set(address, [...(this.#affected.get(address) ?? []), sampled]);
      }
    }
  }

  /** Takes the next event, in the order of blocks and logs; returns the hours that ended before it and have a price. */
  *take(event: PriceEvent): Generator<HourPrice> {
    yield* this.until(event.time);
    for (const pool of this.#affected.get(event.address) ?? []) pool.sampleUntil(event.time);
    this.#states.apply(event);
  }

  /** The hours that end at or before a time and have a price. */
  *until(time: number): Generator<HourPrice> {
    for (; this.#hourEnd <= time; this.#hourEnd += HOUR_SECONDS) {
      for (const pool of this.#pools) pool.sampleUntil(this.#hourEnd);
      const average = averageHour(this.#pools.map(({ samples }) => samples));
      const late = new Set(this.#pools.flatMap(({ isLate, quote }) => (isLate ? [quote.feed ?? ""] : [])));
      for (const feed of late) if (feed) this.notices.late.set(feed, (this.notices.late.get(feed) ?? 0) + 1);
      for (const pool of this.#pools) {
        pool.samples = [];
        pool.isLate = false;
      }
      if (!average) continue;
      if (average.hasOutliers) this.notices.outliers++;
      const usd = priceToDouble(average.price, average.divisor);
      if (usd > 0) yield { end: this.#hourEnd, usd };
    }
  }
}

/** The addresses whose events tell what a quote token is worth. */
export function addressesOf(quote: Quote): readonly string[] {
  if (quote.kind === "constant") return [];
  return quote.kind === "feed" ? quote.aggregators : [quote.pool.address];
}

/** A stretch of time during which a pool's price and depth stood. */
interface Sample {
  /** USD per whole token, in units of 2^-192. */
  price: bigint;
  /** The depth of the quote token's side, in millionths of a dollar. */
  depth: bigint;
  seconds: number;
}

/** What a pool says of an hour. */
interface PoolHour {
  /** The average over its seconds. */
  price: bigint;
  seconds: number;
  /** The median depth over its seconds, times these: what stands for less than half of them does not count. */
  weight: bigint;
}

/** Within an hour, a pool's price counts while it is between half and twice its median over time. */
const BOUND_IN_TIME = 2n;

/** A pool counts if its average is within a tenth of the pools' median by depth. */
const BOUND_BETWEEN_POOLS = 10n;

interface HourAverage {
  /** USD per whole token, in units of 2^-192, times `divisor`. */
  price: bigint;
  divisor: bigint;
  /** Whether a stretch of time or a pool was left out. */
  hasOutliers: boolean;
}

/**
 * The price of an hour from what pools said during it: an average over time, then over pools by depth, with bounds for
 * outliers. What stands for less than half of the hour decides nothing. Source: docs/chain.md#prices-of-pools.
 *
 * @returns undefined if no pool had a price
 */
function averageHour(pools: readonly (readonly Sample[])[]): HourAverage | undefined {
  const stretches = pools.filter((samples) => samples.length > 0).map(withoutOutliers);
  if (stretches.length === 0) return undefined;
  const all = stretches.map(({ kept }) => averagePool(kept));
  const longest = Math.max(...all.map(({ seconds }) => seconds));
  const standing = all.filter(({ seconds }) => seconds * 2 >= longest);
  const middle = median(standing.map(({ price, weight }) => [price, weight]));
  const kept = standing.filter(({ price }) => absolute(price - middle) * BOUND_BETWEEN_POOLS <= middle);
  return {
    price: sum(kept, ({ price, weight }) => price * weight),
    divisor: sum(kept, ({ weight }) => weight),
    hasOutliers: stretches.some(({ hasOutliers }) => hasOutliers) || kept.length < standing.length,
  };
}

function withoutOutliers(samples: readonly Sample[]): { kept: readonly Sample[]; hasOutliers: boolean } {
  const middle = median(samples.map((sample) => [sample.price, secondsOf(sample)]));
  const kept = samples.filter(({ price }) => price <= middle * BOUND_IN_TIME && price * BOUND_IN_TIME >= middle);
  return { kept, hasOutliers: kept.length < samples.length };
}

/** @param samples at least one */
function averagePool(samples: readonly Sample[]): PoolHour {
  const seconds = sum(samples, secondsOf);
  const price = sum(samples, (sample) => sample.price * secondsOf(sample)) / seconds;
  const depth = median(samples.map((sample) => [sample.depth, secondsOf(sample)]));
  return { price, seconds: Number(seconds), weight: depth * seconds };
}

const secondsOf = ({ seconds }: Sample) => BigInt(seconds);

/** The lowest value at which, from below, half of the weight is reached. */
function median(items: readonly (readonly [value: bigint, weight: bigint])[]): bigint {
  const sorted = items.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const whole = sum(sorted, ([, weight]) => weight);
  let reached = 0n;
  for (const [value, weight] of sorted) {
    reached += weight;
    if (reached * 2n >= whole) return value;
  }
  throw new Error("weights are never negative");
}

function sum<T>(items: readonly T[], termOf: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + termOf(item), 0n);
}

const absolute = (value: bigint) => (value < 0n ? -value : value);
