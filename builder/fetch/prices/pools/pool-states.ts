/**
 * The states of pools and feeds, as their events change them: what prices are computed from, and what is compared with the
 * chain. A contract's *facts* are numbers that it answers itself.
 */

import { DAY_SECONDS } from "../../../../data-schema/text.ts";
import { type Fraction, powerOfTen } from "./fixed-point.ts";
import type { Facts, PoolShape, PoolState, PricedPool, Quote } from "./pool.ts";
import type { PoolChange, PriceEvent } from "./pool-events.ts";
import { POOL_KINDS } from "./pool-kinds.ts";
import { Rounds } from "./rounds.ts";

/** A price holds for at most seven days after the last trade or answer; then the pool or the feed counts as dead. */
export const LONGEST_STANDING = 7 * DAY_SECONDS;

/** The last answer of a feed, whichever of its aggregators gave it. */
export class FeedState {
  readonly #decimals: number;
  /** USD per whole token; null before the first answer. */
  price: Fraction | null = null;
  lastSeconds = Number.NEGATIVE_INFINITY;

  constructor(decimals: number) {
    this.#decimals = decimals;
  }

  apply(change: PoolChange, time: number): void {
    // Answers of 0 and below are a feed's way of failing; the one before stands.
    if (change.kind !== "answer" || change.answer <= 0n) return;
    this.price = { numerator: change.answer, denominator: powerOfTen(this.#decimals) };
    this.lastSeconds = time;
  }

  get facts(): Facts {
    return this.price ? { answer: this.price.numerator, updated: BigInt(this.lastSeconds) } : {};
  }

  restore({ answer, updated }: Facts): void {
    if (answer === undefined) return;
    this.price = { numerator: answer, denominator: powerOfTen(this.#decimals) };
    this.lastSeconds = Number(updated);
  }
}

/** The facts of all contracts at a moment, by address. */
export interface AllFacts {
  pools: Readonly<Record<string, Facts>>;
  /** The facts of the aggregators of feeds. */
  rounds: Readonly<Record<string, Facts>>;
  /** The last answer of each feed that was above 0. */
  feeds: Readonly<Record<string, Facts>>;
}

/** An event that can't follow those before: one or more between them are missing, or it is wrong. */
export interface Break {
  address: string;
  block: number;
  why: string;
}

/** The states of all contracts that prices depend on. */
export class PriceStates {
  readonly pools = new Map<string, { shape: PoolShape; state: PoolState }>();
  /** The states of feeds, and of their aggregators. */
  readonly feeds = new Map<string, FeedState>();
  readonly rounds = new Map<string, Rounds>();
  readonly #feedsOf = new Map<string, FeedState[]>();
  readonly breaks: Break[] = [];

  constructor(pools: readonly PricedPool[]) {
    for (const { address, quote, ...shape } of pools) {
      this.#addPool(address, shape);
      if (quote.kind === "pool") this.#addPool(quote.pool.address, quote.pool);
      if (quote.kind === "feed" && !this.feeds.has(quote.address)) this.#addFeed(quote);
    }
  }

  #addPool(address: string, shape: PoolShape): void {
    if (!this.pools.has(address)) this.pools.set(address, { shape, state: POOL_KINDS[shape.kind].open(shape) });
  }

  #addFeed({ address, aggregators, decimals }: Extract<Quote, { kind: "feed" }>): void {
    const state = new FeedState(decimals);
    this.feeds.set(address, state);
    for (const aggregator of aggregators) {
      this.#feedsOf.set(aggregator, [...(this.#feedsOf.get(aggregator) ?? []), state]);
      if (!this.rounds.has(aggregator)) this.rounds.set(aggregator, new Rounds());
    }
  }

  /** Takes the next event, in the order of blocks and logs. */
  apply({ address, block, change, time }: PriceEvent): void {
    for (const feed of this.#feedsOf.get(address) ?? []) feed.apply(change, time);
    const state = this.pools.get(address)?.state ?? this.rounds.get(address);
    const why = state?.apply(change, time);
    if (why !== undefined) this.breaks.push({ address, block, why });
  }

  get facts(): AllFacts {
    const of = <T>(states: ReadonlyMap<string, T>, factsOf: (state: T) => Facts) =>
      Object.fromEntries(Array.from(states, ([address, state]) => [address, factsOf(state)]));
    return {
      pools: of(this.pools, ({ state }) => state.facts),
      rounds: of(this.rounds, ({ facts }) => facts),
      feeds: of(this.feeds, ({ facts }) => facts),
    };
  }

  /** Continues from facts of an earlier moment; contracts that were not known then keep their first state. */
  restore({ pools, rounds, feeds }: AllFacts): void {
    for (const [address, facts] of Object.entries(pools)) this.pools.get(address)?.state.restore(facts);
    for (const [address, facts] of Object.entries(rounds)) this.rounds.get(address)?.restore(facts);
    for (const [address, facts] of Object.entries(feeds)) this.feeds.get(address)?.restore(facts);
  }
}
