/** Hourly prices from the events of pools and feeds, in one pass and in bounded memory. */

import { averageHour, type Sample } from "./average.ts";
import type { PriceEvent } from "./events.ts";
import { decimalFraction, type Fraction, ONE, powerOfTen, priceOf, priceToDouble, product } from "./fixed-point.ts";
import { FeedState, LONGEST_STANDING, type PoolShape, PoolState } from "./states.ts";

export const HOUR = 3600;

/** A pool counts while the side of its quote token is worth at least 1,000 USD; in millionths of a dollar. */
export const LEAST_DEPTH = 1_000n * 1_000_000n;

/** Chainlink's feeds answer at least once a day. */
const LATE_ANSWER = 25 * HOUR;

/** What a pool's quote token is worth: a constant, a feed of some aggregators, or a pool against a stablecoin. */
export type Quote =
  | { kind: "constant"; usd: number }
  | { kind: "feed"; address: string; aggregators: readonly string[]; decimals: number }
  | { kind: "pool"; pool: PoolShape & { address: string } };

export interface PricedPool extends PoolShape {
  /** Lower-case. */
  address: string;
  quote: Quote;
}

/** The price of the hour that ends at a time, Unix seconds. */
export interface HourPrice {
  end: number;
  usd: number;
}

/** Hours that are worth a notice. */
export interface HourlyNotices {
  /** In which a time or a pool was left out as an outlier. */
  outliers: number;
  /** That used an answer older than 25 hours, by feed. */
  late: Map<string, number>;
}

/** What a quote token is worth now. */
interface QuoteState {
  apply(event: PriceEvent): void;
  /** USD per whole token; null while unknown. */
  readonly price: Fraction | null;
  readonly lastSeconds: number;
  /** Of the feed, for the notice. */
  readonly feed?: string;
}

function quoteState(quote: Quote): QuoteState {
  if (quote.kind === "constant") {
    return { apply() {}, price: decimalFraction(quote.usd), lastSeconds: Number.POSITIVE_INFINITY };
  }
  if (quote.kind === "feed") {
    const state = new FeedState(quote.decimals);
    return {
      apply: ({ change, time }) => state.apply(change, time),
      get price() {
        return state.price;
      },
      get lastSeconds() {
        return state.lastSeconds;
      },
      feed: quote.address,
    };
  }
  const state = new PoolState(quote.pool);
  return {
    apply: ({ change, time }) => state.apply(change, time),
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

  constructor(pool: PricedPool, quote: QuoteState, start: number) {
    this.pool = pool;
    this.state = new PoolState(pool);
    this.quote = quote;
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
  readonly #pools: SampledPool[];
  /** What an event of an address changes. */
  readonly #affected = new Map<string, { pools: SampledPool[]; apply: ((event: PriceEvent) => void)[] }>();
  #hourEnd: number;

  /**
   * @param start the first hour's begin, Unix seconds; events before it only set what stands then
   */
  constructor(pools: readonly PricedPool[], start: number) {
    this.#hourEnd = start + HOUR;
    const quotes = new Map<string, QuoteState>();
    this.#pools = pools.map((pool) => {
      const key = JSON.stringify(pool.quote);
      const quote = quotes.get(key) ?? quoteState(pool.quote);
      const sampled = new SampledPool(pool, quote, start);
      this.#listen([pool.address], sampled, ({ change, time }) => sampled.state.apply(change, time));
      this.#listen(addressesOf(pool.quote), sampled, quotes.has(key) ? undefined : (event) => quote.apply(event));
      quotes.set(key, quote);
      return sampled;
    });
  }

  #listen(addresses: readonly string[], pool: SampledPool, apply?: (event: PriceEvent) => void): void {
    for (const address of addresses) {
      const affected = this.#affected.get(address) ?? { pools: [], apply: [] };
      affected.pools.push(pool);
      if (apply) affected.apply.push(apply);
      this.#affected.set(address, affected);
    }
  }

  /** Takes the next event, in the order of blocks and logs; returns the hours that ended before it and have a price. */
  *take(event: PriceEvent): Generator<HourPrice> {
    yield* this.until(event.time);
    const affected = this.#affected.get(event.address);
    for (const pool of affected?.pools ?? []) pool.sampleUntil(event.time);
    for (const apply of affected?.apply ?? []) apply(event);
  }

  /** The hours that end at or before a time and have a price. */
  *until(time: number): Generator<HourPrice> {
    for (; this.#hourEnd <= time; this.#hourEnd += HOUR) {
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
