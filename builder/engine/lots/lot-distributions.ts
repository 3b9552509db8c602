/**
 * The series of the distributions of lots: of each bucket of prices, and of months of purchase, what is held in it at the closes
 * of days, weeks and months. Source: docs/methodology.md §11 and §14.
 */

import {
  bucketFieldsOf,
  bucketSeries,
  COST_BUCKETS,
  costBucketName,
  DISTRIBUTION_SELECTORS,
  type DistributionResolution,
  LOT_DISTRIBUTION_NAMES,
  type LotMethod,
  lotSelectors,
  monthName,
  monthStart,
  nextMonthStart,
  yearStart,
} from "../../../data-schema/registry.ts";
import { bucketsEnding } from "../distributions.ts";
import type { Series } from "../series.ts";
import type { HeldKeys } from "./lot-book.ts";

type Name = (typeof LOT_DISTRIBUTION_NAMES)[number];

/** The new points of a calendar year: those of the buckets that begin in it. */
export interface LotDistributionYear {
  resolution: DistributionResolution;
  /** Its start, Unix seconds. */
  from: number;
  series: Record<Name, Series[]>;
}

/** What is held in a bucket at a close: tokens and their cost, of all lots and then of users'. */
type BucketSums = [number, number, number, number];
const FIELDS = 4;

const sumsAt = (sums: Float64Array, at: number): BucketSums => [sums[at]!, sums[at + 1]!, sums[at + 2]!, sums[at + 3]!];

function addTo(sums: Float64Array, at: number, held: number, ofUsers: number, price: number): void {
  sums[at]! += held;
  sums[at + 1]! += held * price;
  sums[at + 2]! += ofUsers;
  sums[at + 3]! += ofUsers * price;
}

/** The values of a bucket at the closes at which it has a lot. */
interface BucketPoints {
  t: number[];
  values: BucketSums[];
}

interface LotYear {
  from: number;
  buckets: Record<Name, Map<string, BucketPoints>>;
}

const emptyYear = (from: number): LotYear => ({ from, buckets: { cost_basis: new Map(), acquired: new Map() } });

export class LotDistributions {
  readonly #selectors: readonly string[];
  readonly #open = new Map<DistributionResolution, LotYear>();
  /** Sums of each bucket of costs, by its number. */
  readonly #costs = new Float64Array(FIELDS * COST_BUCKETS);

  constructor(method: LotMethod) {
    this.#selectors = lotSelectors(method, DISTRIBUTION_SELECTORS);
  }

  /**
   * Notes what is held at a day's close.
   *
   * @param day its start, Unix seconds
   * @returns the years that are complete by then
   */
  *close(keys: readonly HeldKeys[], day: number): Generator<LotDistributionYear> {
    const sums = this.#sumsOf(keys);
    for (const [resolution, start] of bucketsEnding(day)) {
      const before = this.#open.get(resolution);
      if (before && before.from !== yearStart(start)) yield this.#yearOf(resolution, before);
      const year = before?.from === yearStart(start) ? before : emptyYear(yearStart(start));
      this.#open.set(resolution, year);
      for (const name of LOT_DISTRIBUTION_NAMES) {
        for (const [bucket, of] of sums[name]) {
          const points = year.buckets[name].get(bucket) ?? { t: [], values: [] };
          year.buckets[name].set(bucket, points);
          points.t.push(start);
          points.values.push(of);
        }
      }
    }
  }

  /** The years that are not complete. */
  *end(): Generator<LotDistributionYear> {
    for (const [resolution, year] of this.#open) yield this.#yearOf(resolution, year);
  }

  /** In the order of the keys, so that the sums depend on nothing else. */
  #sumsOf(keys: readonly HeldKeys[]): Record<Name, [bucket: string, BucketSums][]> {
    const costs = this.#costs.fill(0);
    const month = new Float64Array(FIELDS);
    const acquired: [string, BucketSums][] = [];
    let [monthFrom, monthTo] = [0, Number.NEGATIVE_INFINITY];
    const endMonth = () => {
      if (month[0]! > 0) acquired.push([monthName(monthFrom), sumsAt(month, 0)]);
      month.fill(0);
    };
    for (const { count, times, prices, buckets, all, users } of keys) {
      for (let key = 0; key < count; key++) {
        const held = all[key]!;
        if (held === 0) continue;
        // Keys are in the order of time.
        if (times[key]! >= monthTo) {
          endMonth();
          monthFrom = monthStart(times[key]!);
          monthTo = nextMonthStart(monthFrom);
        }
        const price = prices[key]!;
        const ofUsers = users[key]!;
        addTo(month, 0, held, ofUsers, price);
        addTo(costs, FIELDS * buckets[key]!, held, ofUsers, price);
      }
    }
    endMonth();
    const byCost: [string, BucketSums][] = [];
    for (let bucket = 0; bucket < COST_BUCKETS; bucket++) {
      if (costs[FIELDS * bucket]! > 0) byCost.push([costBucketName(bucket), sumsAt(costs, FIELDS * bucket)]);
    }
    return { cost_basis: byCost, acquired };
  }

  #yearOf(resolution: DistributionResolution, { from, buckets }: LotYear): LotDistributionYear {
    const series: LotDistributionYear["series"] = { cost_basis: [], acquired: [] };
    for (const name of LOT_DISTRIBUTION_NAMES) {
      for (const [bucket, { t, values }] of buckets[name]) {
        for (const [place, selector] of this.#selectors.entries()) {
          // A bucket without a lot of users has no point of theirs.
          const held = [...values.keys()].filter((i) => values[i]![2 * place]! > 0);
          if (held.length === 0) continue;
          const times = Float64Array.from(held, (i) => t[i]!);
          for (const [field, of] of bucketFieldsOf(selector).entries()) {
            const v = Float64Array.from(held, (i) => values[i]![2 * place + field]!);
            series[name].push({ selector: bucketSeries(of, selector, bucket), t: times, v });
          }
        }
      }
    }
    return { resolution, from, series };
  }
}
