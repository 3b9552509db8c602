/** Hourly prices from the events of pools and feeds, in one pass and in bounded memory. */

import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import { averageHour, type Sample } from "./average.ts";
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
