/**
 * The price of an hour from what pools said during it: an average over time, then over pools by depth, with bounds for
 * outliers. What stands for less than half of the hour decides nothing. Source: docs/chain.md#prices-of-pools.
 */

/** A stretch of time during which a pool's price and depth stood. */
export interface Sample {
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

export interface HourAverage {
  /** USD per whole token, in units of 2^-192, times `divisor`. */
  price: bigint;
  divisor: bigint;
  /** Whether a stretch of time or a pool was left out. */
  hasOutliers: boolean;
}

/** @returns undefined if no pool had a price */
export function averageHour(pools: readonly (readonly Sample[])[]): HourAverage | undefined {
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
