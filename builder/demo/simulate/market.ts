/** The token's hourly price path, and how heated the market is. */

import type { Random } from "./random.ts";

export interface Market {
  /** USD per token of each hour, to `PRICE_DECIMALS`. */
  usd: Float64Array;
  /** How far the price is above its average of late, from 0 to 1: it rises into tops, and is gone soon after. */
  heat: Float64Array;
  /** Transfers of each hour, relative to each other: more where prices move. */
  activity: Float64Array;
}

interface Leg {
  /** The price at its end, by that at its start. */
  factor: number;
  /** Its share of a cycle. */
  share: number;
  /** Standard deviation of the hourly return. */
  volatility: number;
}

/** Rises are corrected, crashes come in several legs, and both leave a long calm. */
const CYCLE: readonly Leg[] = [
  { factor: 1.08, share: 0.12, volatility: 0.005 },
  { factor: 1.85, share: 0.13, volatility: 0.006 },
  { factor: 0.86, share: 0.04, volatility: 0.008 },
  { factor: 1.8, share: 0.13, volatility: 0.007 },
  { factor: 0.87, share: 0.03, volatility: 0.009 },
  { factor: 1.6, share: 0.08, volatility: 0.009 },
  { factor: 0.74, share: 0.045, volatility: 0.012 },
  { factor: 1.15, share: 0.05, volatility: 0.01 },
  { factor: 0.75, share: 0.08, volatility: 0.01 },
  { factor: 1.1, share: 0.06, volatility: 0.009 },
  { factor: 0.83, share: 0.08, volatility: 0.009 },
  { factor: 1.14, share: 0.21, volatility: 0.005 },
];
const CYCLE_DAYS = 520;

/** Each factor and share differs by up to so much from cycle to cycle. */
const FACTOR_SPREAD = 0.06;
const SHARE_SPREAD = 0.35;

const LAUNCH_USD = 0.4;

/** The average that heat compares with, in days, or its share of a short history; and how far above it is the hottest. */
const AVERAGE = { days: 120, share: 0.15 } as const;
const HOTTEST = 0.9;

/** Volatility comes in storms of days: it draws towards another multiple each day, seldom towards a large one. */
const STORM = { change: 0.35, mean: 3.2, most: 7 } as const;

/** Activity of a calm hour, what heat adds, and what a move of `TYPICAL_MOVE` an hour adds, over some hours. */
const ACTIVITY = { calm: 0.2, heat: 1.4, move: 1.3 } as const;
const TYPICAL_MOVE = 0.005;
const MOVE_HOURS = 12;

/** Decimals of a published price. */
export const PRICE_DECIMALS = 5;

/** A random walk in steps of an hour that reaches the end of each leg, so that histories of all lengths rise and fall alike. */
export function simulateMarket(hours: number, random: Random): Market {
  const market = { usd: new Float64Array(hours), heat: new Float64Array(hours), activity: new Float64Array(hours) };
  const averageHours = Math.min(AVERAGE.days * 24, hours * AVERAGE.share);
  let usd = LAUNCH_USD;
  let average = usd;
  let move = TYPICAL_MOVE;
  let storm = 1;
  let hour = 0;
  for (const { factor, end, volatility } of legs(hours, random)) {
    const target = usd * factor;
    for (; hour < end; hour++) {
      const before = usd;
      if (hour % 24 === 0) storm += STORM.change * (STORM.mean / (1 + STORM.most * random.unit()) - storm);
      usd += (target - usd) / (end - hour) + usd * volatility * storm * random.bell();
      average += (usd - average) / averageHours;
      move += (Math.abs(usd / before - 1) - move) / MOVE_HOURS;
      market.usd[hour] = Number(usd.toFixed(PRICE_DECIMALS));
      market.heat[hour] = Math.max(0, Math.min(1, (usd / average - 1) / HOTTEST));
      market.activity[hour] =
        ACTIVITY.calm + ACTIVITY.heat * market.heat[hour]! + (ACTIVITY.move * move) / TYPICAL_MOVE;
    }
  }
  return market;
}

/** The legs of all cycles, each with the hour at which it ends. */
function legs(hours: number, random: Random): (Leg & { end: number })[] {
  const cycles = Math.max(1, Math.round(hours / 24 / CYCLE_DAYS));
  const around = (spread: number) => 1 + spread * (2 * random.unit() - 1);
  const all = Array.from({ length: cycles }, () => CYCLE)
    .flat()
    .map(({ factor, share, volatility }) => ({
      factor: factor * around(FACTOR_SPREAD),
      share: share * around(SHARE_SPREAD),
      volatility,
    }));
  const whole = all.reduce((sum, { share }) => sum + share, 0);
  let shares = 0;
  return all.map((leg) => {
    shares += leg.share;
    return { ...leg, end: Math.round((hours * shares) / whole) };
  });
}
