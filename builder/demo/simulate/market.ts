/** The token's hourly price path, and the market regime of each hour. */

import type { Random } from "./random.ts";

export type Regime = "calm" | "bull" | "bear" | "crash";

/** Standard deviation of the hourly return, and transfers an hour relative to a calm market. */
const REGIMES: Record<Regime, { volatility: number; activity: number }> = {
  calm: { volatility: 0.004, activity: 1 },
  bull: { volatility: 0.008, activity: 2.2 },
  bear: { volatility: 0.007, activity: 1.1 },
  crash: { volatility: 0.02, activity: 5 },
};

/** A stretch of the history under one regime. */
interface Phase {
  regime: Regime;
  /** Share of the whole history; the shares add up to 1. */
  share: number;
  /** The price that the phase draws towards, in USD. */
  targetUsd: number;
}

const PHASES: readonly Phase[] = [
  { regime: "calm", share: 0.1, targetUsd: 0.25 },
  { regime: "bull", share: 0.18, targetUsd: 2.5 },
  { regime: "calm", share: 0.08, targetUsd: 2 },
  { regime: "crash", share: 0.01, targetUsd: 0.9 },
  { regime: "bear", share: 0.2, targetUsd: 0.12 },
  { regime: "calm", share: 0.15, targetUsd: 0.15 },
  { regime: "bull", share: 0.16, targetUsd: 9 },
  { regime: "crash", share: 0.01, targetUsd: 3.5 },
  { regime: "bear", share: 0.11, targetUsd: 1.2 },
];

const LAUNCH_USD = 0.4;
const LOWEST_USD = 0.05;
const HIGHEST_USD = 20;

/** How firmly a price is drawn to its target: it is nearly there by the end of the phase. */
const PULL = 6;

/** Decimals of a published price. */
export const PRICE_DECIMALS = 5;

export interface Market {
  /** USD per token of each hour, to `PRICE_DECIMALS`. */
  usd: Float64Array;
  regime: Regime[];
  /** Transfers of each hour, relative to a calm market. */
  activity: Float64Array;
}

/**
 * A random walk in steps of an hour that is drawn to the target of each phase, so that the histories of all lengths and
 * seeds rise and fall alike and stay between $0.05 and $20.
 */
export function simulateMarket(hours: number, random: Random): Market {
  const market: Market = { usd: new Float64Array(hours), regime: new Array(hours), activity: new Float64Array(hours) };
  let usd = LAUNCH_USD;
  let hour = 0;
  let shareSoFar = 0;
  for (const { regime, share, targetUsd } of PHASES) {
    shareSoFar += share;
    const { volatility, activity } = REGIMES[regime];
    const end = Math.min(hours, Math.round(hours * shareSoFar));
    const pull = PULL / (end - hour);
    for (; hour < end; hour++) {
      const drift = (pull * (targetUsd - usd)) / (targetUsd + usd);
      usd *= 1 + Math.max(-0.4, Math.min(0.4, drift)) + volatility * random.bell();
      usd = Math.max(LOWEST_USD, Math.min(HIGHEST_USD, usd));
      market.usd[hour] = Number(usd.toFixed(PRICE_DECIMALS));
      market.regime[hour] = regime;
      market.activity[hour] = activity;
    }
  }
  return market;
}
