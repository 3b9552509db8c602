/** The price of the token, hour by hour, and the mood of those who trade it. */

import type { Random } from "./random.ts";

export type Mood = "calm" | "bull" | "bear" | "crash";

interface Temper {
  /** Standard deviation of the hourly return. */
  volatility: number;
  /** Transfers an hour, relative to a calm market. */
  activity: number;
}

const TEMPERS: Record<Mood, Temper> = {
  calm: { volatility: 0.004, activity: 1 },
  bull: { volatility: 0.008, activity: 2.2 },
  bear: { volatility: 0.007, activity: 1.1 },
  crash: { volatility: 0.02, activity: 5 },
};

interface Regime {
  mood: Mood;
  /** Share of the whole history; the shares add up to 1. */
  share: number;
  /** The price, in USD, that the regime draws towards. */
  towardsUsd: number;
}

const REGIMES: readonly Regime[] = [
  { mood: "calm", share: 0.1, towardsUsd: 0.25 },
  { mood: "bull", share: 0.18, towardsUsd: 2.5 },
  { mood: "calm", share: 0.08, towardsUsd: 2 },
  { mood: "crash", share: 0.01, towardsUsd: 0.9 },
  { mood: "bear", share: 0.2, towardsUsd: 0.12 },
  { mood: "calm", share: 0.15, towardsUsd: 0.15 },
  { mood: "bull", share: 0.16, towardsUsd: 9 },
  { mood: "crash", share: 0.01, towardsUsd: 3.5 },
  { mood: "bear", share: 0.11, towardsUsd: 1.2 },
];

const LAUNCH_USD = 0.4;
const LOWEST_USD = 0.05;
const HIGHEST_USD = 20;

/** How firmly a price follows its regime: it has covered nearly all the way by the regime's end. */
const PULL = 6;

/** Decimals of a published price. */
export const PRICE_DECIMALS = 5;

export interface Market {
  /** USD per token of each hour, to `PRICE_DECIMALS`. */
  usd: Float64Array;
  mood: Mood[];
  /** Transfers of each hour, relative to a calm market. */
  activity: Float64Array;
}

/**
 * A price that wanders in steps of an hour and is drawn towards its regime's target, so that histories of any length
 * and seed rise and fall alike and stay within $0.05 and $20.
 */
export function simulateMarket(hours: number, random: Random): Market {
  const market: Market = { usd: new Float64Array(hours), mood: new Array(hours), activity: new Float64Array(hours) };
  let usd = LAUNCH_USD;
  let hour = 0;
  let shareSoFar = 0;
  for (const { mood, share, towardsUsd } of REGIMES) {
    shareSoFar += share;
    const { volatility, activity } = TEMPERS[mood];
    const end = Math.min(hours, Math.round(hours * shareSoFar));
    const pull = PULL / (end - hour);
    for (; hour < end; hour++) {
      const drift = (pull * (towardsUsd - usd)) / (towardsUsd + usd);
      usd *= 1 + Math.max(-0.4, Math.min(0.4, drift)) + volatility * random.bell();
      usd = Math.max(LOWEST_USD, Math.min(HIGHEST_USD, usd));
      market.usd[hour] = Number(usd.toFixed(PRICE_DECIMALS));
      market.mood[hour] = mood;
      market.activity[hour] = activity;
    }
  }
  return market;
}
