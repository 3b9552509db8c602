/** Pools that price a token, and what is known of one: shape, state, and what it says while the state stands. */

import type { PricePool } from "../../../input/asset/source.ts";
import { type Fraction, powerOfTen } from "./fixed-point.ts";
import type { PoolChange } from "./pool-events.ts";

export type PoolKind = PricePool["kind"];

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

/** Numbers that a contract says of itself, by names of ours. */
export type Facts = Readonly<Record<string, bigint>>;

/** Which token of a pool is priced, and the decimals that turn raw units into whole tokens. */
export interface PoolShape {
  kind: PoolKind;
  /** Whether the priced token is token0; the quote token is the other. */
  isToken0: boolean;
  decimals: number;
  quoteDecimals: number;
  /** The tick spacing of a pool with concentrated liquidity. */
  tickSpacing?: number;
}

/** The state of a pool after its events so far. */
export interface PoolState {
  /** @returns why the event can't follow those before; undefined if it can */
  apply(change: PoolChange, time: number): string | undefined;
  /** Null while the pool has no price. */
  readonly standing: Standing | null;
  /** Time of the last trade, Unix seconds; minus infinity before. */
  readonly lastSeconds: number;
  readonly facts: Facts;
  /** @param facts those of another state, all of them */
  restore(facts: Facts): void;
}

/** One token in the other, and how much of the other there is to trade with. */
export interface Standing {
  /** Whole quote tokens per whole token. */
  price: Fraction;
  /** Raw units of the quote token. */
  depth: bigint;
}

/** A ratio of raw units in whole tokens. */
export function wholePrice(
  quote: bigint,
  own: bigint,
  { decimals, quoteDecimals }: { decimals: number; quoteDecimals: number },
): Fraction {
  return { numerator: quote * powerOfTen(decimals), denominator: own * powerOfTen(quoteDecimals) };
}
