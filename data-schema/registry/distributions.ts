/**
 * Distributions: the addresses that hold the token at a day's close, divided by a key of each. Each bucket of a distribution
 * has the sums of `DISTRIBUTION_FIELDS`. Source: docs/methodology.md §11.
 */

import { isoMonth } from "../text/iso.ts";
import { isLotSelector, LOT_METHODS, type LotMethod, type LotSelector, lotSelectors } from "./lots.ts";
import { monthStart, nextMonthStart } from "./resolutions.ts";

/** What a key is: a cost, in USD per token, or a time, in Unix seconds. */
type KeyKind = "cost" | "time";

interface DistributionFacts {
  title: string;
  key: KeyKind;
}

/** The table of distributions. */
export const DISTRIBUTIONS = {
  cost_basis: { title: "Cost basis distribution", key: "cost" },
  acquired: { title: "Supply by time of purchase", key: "time" },
  first_seen: { title: "Supply by first appearance", key: "time" },
} as const satisfies Record<string, DistributionFacts>;

export type DistributionName = keyof typeof DISTRIBUTIONS;
/** For catalogs: charts do without these texts. */
export const DISTRIBUTION_DESCRIPTIONS: Record<DistributionName, string> = {
  cost_basis:
    "How much of the supply was bought at which average price: addresses by their average purchase price, in 40 buckets per factor of ten.",
  acquired: "How much of the supply was bought when: addresses by the month of their average purchase time.",
  first_seen: "How much of the supply is with old and new addresses: addresses by the month of their first event ever.",
};

export const DISTRIBUTION_NAMES = Object.keys(DISTRIBUTIONS) as DistributionName[];

export const isDistribution = (name: string): name is DistributionName => Object.hasOwn(DISTRIBUTIONS, name);

/** The groups of addresses that are divided; and of lots, which are no addresses. */
export const DISTRIBUTION_SELECTORS = ["total", "users"] as const;
export type DistributionSelector = (typeof DISTRIBUTION_SELECTORS)[number];

/** The distributions of lots: their keys are those of a lot. */
export const LOT_DISTRIBUTION_NAMES = ["cost_basis", "acquired"] as const satisfies readonly DistributionName[];
type LotDistributionName = (typeof LOT_DISTRIBUTION_NAMES)[number];

/** The name of the objects of one, such as `fifo.acquired`. */
export type LotDistribution = `${LotMethod}.${LotDistributionName}`;
export const lotDistribution = (method: LotMethod, name: LotDistributionName): LotDistribution => `${method}.${name}`;
export const LOT_DISTRIBUTIONS: readonly LotDistribution[] = LOT_METHODS.flatMap((method) =>
  LOT_DISTRIBUTION_NAMES.map((name) => lotDistribution(method, name)),
);

export const isLotDistribution = (name: string): name is LotDistribution =>
  (LOT_DISTRIBUTIONS as readonly string[]).includes(name);

/** Whether a distribution is also one of lots. */
export const dividesLots = (name: DistributionName): name is LotDistributionName =>
  (LOT_DISTRIBUTION_NAMES as readonly string[]).includes(name);

/** What an object divides, and of lots by which method. */
export function partsOfDistribution(of: DistributionName | LotDistribution): {
  name: DistributionName;
  method: LotMethod | null;
} {
  if (!isLotDistribution(of)) return { name: of, method: null };
  const [method, name] = of.split(".") as [LotMethod, LotDistributionName];
  return { name, method };
}

/** The sums of each bucket. */
export const DISTRIBUTION_FIELDS = ["supply", "realised_cap", "num_addresses"] as const;
export type DistributionField = (typeof DISTRIBUTION_FIELDS)[number];

/** What each bucket of a selector has: lots have no addresses. */
const [SUPPLY, REALISED_CAP, ADDRESSES] = DISTRIBUTION_FIELDS;
export const bucketFieldsOf = (selector: string): readonly DistributionField[] =>
  isLotSelector(selector) ? [SUPPLY, REALISED_CAP] : DISTRIBUTION_FIELDS;

/** The field that is above 0 in every bucket that is not empty. */
export const presenceOf = (selector: string): DistributionField => (isLotSelector(selector) ? SUPPLY : ADDRESSES);

/**
 * The percentiles of the cost basis that are metrics, in per cent, as their names have them: `cost_basis_p05`. The first is
 * the lowest. Source: docs/methodology.md §9.
 */
export const COST_PERCENTILES = ["05", "10", "25", "50", "75", "90", "95"] as const;

export const percentileMetric = <const Percent extends (typeof COST_PERCENTILES)[number]>(percent: Percent) =>
  `cost_basis_p${percent}` as const;

/** The resolutions of distributions; a week or a month has what its last day has. */
export const DISTRIBUTION_RESOLUTIONS = ["day", "week", "month"] as const;
export type DistributionResolution = (typeof DISTRIBUTION_RESOLUTIONS)[number];

export const isDistributionResolution = (resolution: string): resolution is DistributionResolution =>
  (DISTRIBUTION_RESOLUTIONS as readonly string[]).includes(resolution);

/** The name of a series in the object of a distribution, such as `supply:users:k-12`. */
export const bucketSeries = (field: DistributionField, selector: string, bucket: string): string =>
  `${field}:${selector}:${bucket}`;

/** The bucket that the name of a series names. */
export const bucketOf = (series: string): string => series.slice(series.lastIndexOf(":") + 1);

/** Buckets of costs in a factor of ten. */
const STEPS = 40;
/** Buckets of costs are numbered from −1,200 to 1,200, and cover 10^−30 to 10^30 USD. */
export const LAST_STEP = 1_200;

/** The bucket of a cost of 0. */
const FREE = "0";

/**
 * The lower edge of a bucket of costs: the double nearest to 10^(k/40). `Math.pow` is not exact, and differs between engines.
 *
 * @param k −1,200 to 1,201
 */
export function costEdge(k: number): number {
  const whole = Math.floor(k / STEPS);
  return Number(`${rootPower(k - STEPS * whole)}e${whole - DIGITS}`);
}

/** Digits of `rootPower` after the first. */
const DIGITS = 40;
const powers = new Map<number, bigint>();

/** 10^(k/40), 0 ≤ k < 40, times 10^`DIGITS`, rounded down. */
function rootPower(k: number): bigint {
  const known = powers.get(k);
  if (known !== undefined) return known;
  const power = 10n ** BigInt(k + STEPS * DIGITS);
  // Newton's method from above falls until it has the root.
  let root = 10n ** BigInt(DIGITS + 1);
  for (let next = root; ; root = next) {
    next = (BigInt(STEPS - 1) * root + power / root ** BigInt(STEPS - 1)) / BigInt(STEPS);
    if (next >= root) break;
  }
  powers.set(k, root);
  return root;
}

/** A bucket: keys from `from`, inclusive, up to `to`, exclusive; null where it has no end. Costs, or Unix seconds. */
export interface Bucket {
  name: string;
  from: number | null;
  to: number | null;
}

/** Buckets of costs, which are numbered from 0, the lowest. */
export const COST_BUCKETS = 2 * LAST_STEP + 2;

/** The bucket of costs with a number, from 0 up to `COST_BUCKETS`, exclusive. */
export function costBucket(number: number): Bucket {
  if (number === 0) return { name: FREE, from: 0, to: 0 };
  const k = number - 1 - LAST_STEP;
  return {
    name: costBucketName(number),
    from: k === -LAST_STEP ? null : costEdge(k),
    to: k === LAST_STEP ? null : costEdge(k + 1),
  };
}

/** The number of the bucket of costs that holds a cost, which is not negative. */
export function costBucketNumber(cost: number): number {
  if (cost === 0) return 0;
  // The logarithm is right to a step.
  let k = Math.max(-LAST_STEP, Math.min(LAST_STEP, Math.floor(STEPS * Math.log10(cost))));
  while (k > -LAST_STEP && cost < costEdge(k)) k--;
  while (k < LAST_STEP && cost >= costEdge(k + 1)) k++;
  return k + 1 + LAST_STEP;
}

/** The name of a bucket of costs with a number. */
export const costBucketName = (number: number): string => (number === 0 ? FREE : `k${number - 1 - LAST_STEP}`);

/** The name of the month that begins at a time, Unix seconds. */
export const monthName = (start: number): string => isoMonth(start);

const COST_NAME = /^k(-?\d{1,4})$/;
const MONTH_NAME = /^\d{4}-\d\d$/;

/** The bucket with a name; undefined if the distribution has none of that name. */
export function bucketNamed(distribution: DistributionName, name: string): Bucket | undefined {
  if (DISTRIBUTIONS[distribution].key === "time") {
    const from = MONTH_NAME.test(name) ? Date.parse(`${name}-01T00:00:00Z`) / 1000 : Number.NaN;
    return Number.isNaN(from) ? undefined : { name, from: monthStart(from), to: nextMonthStart(from) };
  }
  if (name === FREE) return costBucket(0);
  const k = Number(COST_NAME.exec(name)?.[1] ?? Number.NaN);
  return Math.abs(k) <= LAST_STEP && name === `k${k}` ? costBucket(k + 1 + LAST_STEP) : undefined;
}

/** Buckets in ascending order of their keys. */
export const byKey = (a: Bucket, b: Bucket): number => keyOf(a) - keyOf(b);

/** The first bucket of costs comes after that of a cost of 0, although it has no lower end. */
const keyOf = ({ from, to }: Bucket): number => from ?? (to === null ? 0 : to / 2);

/** The number of a bucket of costs. */
export const numberOfCosts = (bucket: Bucket): number => costBucketNumber(keyOf(bucket));

/** The selectors of the series of an object. */
export function selectorsOfDistribution(
  of: DistributionName | LotDistribution,
): readonly (DistributionSelector | LotSelector)[] {
  const { method } = partsOfDistribution(of);
  return method === null ? DISTRIBUTION_SELECTORS : lotSelectors(method, DISTRIBUTION_SELECTORS);
}

/** The names of all series of some buckets, in the order in which an object has them; what names no bucket is left out. */
export function seriesNames(of: DistributionName | LotDistribution, names: Iterable<string>): string[] {
  const { name: distribution } = partsOfDistribution(of);
  const known = [...new Set(names)].flatMap((name) => bucketNamed(distribution, name) ?? []).sort(byKey);
  const selectors = selectorsOfDistribution(of);
  return bucketFieldsOf(selectors[0]!).flatMap((field) =>
    selectors.flatMap((selector) => known.map(({ name }) => bucketSeries(field, selector, name))),
  );
}
