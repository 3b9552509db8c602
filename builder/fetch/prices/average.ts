/**
 * The price of an hour from what pools said during it: an average over time, then over pools by depth, with bounds for
 * outliers. Source: docs/chain.md#prices.
 */

/** A stretch of time during which a pool's price and depth stood. */
export interface Sample {
  /** USD per whole token, in units of 2^-192. */
  price: bigint;
  /** The depth of the quote token's side, in millionths of a dollar. */
  depth: bigint;
  seconds: number;
}

/** A pool's average over an hour. */
interface PoolAverage {
  price: bigint;
  /** Depth times seconds. */
  weight: bigint;
}

/** Within an hour, a pool's price counts while it is between half and twice its median over time. */
const BOUND_IN_TIME = 2n;

/** A pool counts if its average is within a tenth of the pools' median by depth. */
const BOUND_BETWEEN_POOLS = 10n;

export interface HourAverage {
  /** USD per whole token, in units of 2^-192, times `divisor`. */
  price: bigint;
  divisor: bigint;
  /** Whether a stretch of time or a pool was left out. */
  hasOutliers: boolean;
}

/** @returns undefined if no pool had a price */
export function averageHour(pools: readonly (readonly Sample[])[]): HourAverage | undefined {
  let hasOutliers = false;
  const averages: PoolAverage[] = [];
  for (const samples of pools) {
    if (samples.length === 0) continue;
    const middle = median(samples, ({ seconds }) => BigInt(seconds));
    const kept = samples.filter(({ price }) => price <= middle * BOUND_IN_TIME && price * BOUND_IN_TIME >= middle);
    if (kept.length < samples.length) hasOutliers = true;
    const seconds = sum(kept, (sample) => BigInt(sample.seconds));
    const price = sum(kept, (sample) => sample.price * BigInt(sample.seconds)) / seconds;
    averages.push({ price, weight: sum(kept, (sample) => sample.depth * BigInt(sample.seconds)) });
  }
  if (averages.length === 0) return undefined;
  const middle = median(averages, ({ weight }) => weight);
  const kept = averages.filter(({ price }) => absolute(price - middle) * BOUND_BETWEEN_POOLS <= middle);
  if (kept.length < averages.length) hasOutliers = true;
  return {
    price: sum(kept, ({ price, weight }) => price * weight),
    divisor: sum(kept, ({ weight }) => weight),
    hasOutliers,
  };
}

/** The lowest price at which, from below, half of the weight is reached. */
function median<T extends { price: bigint }>(items: readonly T[], weightOf: (item: T) => bigint): bigint {
  if (items.length === 1) return items[0]!.price;
  const sorted = items.toSorted((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0));
  const whole = sum(sorted, weightOf);
  let reached = 0n;
  for (const item of sorted) {
    reached += weightOf(item);
    if (reached * 2n >= whole) return item.price;
  }
  throw new Error("weights are never negative");
}

function sum<T>(items: readonly T[], termOf: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + termOf(item), 0n);
}

const absolute = (value: bigint) => (value < 0n ? -value : value);
