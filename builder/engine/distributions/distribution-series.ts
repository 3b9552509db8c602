/**
 * The series of distributions: of each bucket its sums at the closes of days, weeks and months, from what the partitions have
 * logged of its changes. Source: docs/methodology.md §11.
 */

import {
  BUCKET_SECONDS,
  bucketSeries,
  COST_BUCKETS,
  costBucketName,
  DISTRIBUTION_FIELDS,
  DISTRIBUTION_SELECTORS,
  type DistributionName,
  type DistributionResolution,
  type DistributionSelector,
  monthName,
  yearStart,
} from "../../../data-schema/registry.ts";
import { TokenUnit } from "../history/amounts.ts";
import { monthsOf, type Outline } from "../history/outline.ts";
import type { Series } from "../series.ts";
import { BucketSum } from "./bucket-sum.ts";
import { bucketsEnding } from "./buckets-ending.ts";
import { ChangeReader, type YearOfChanges } from "./change-log.ts";
import { CostPercentileSeries, type CostSupply } from "./cost-percentiles.ts";

/** The new points of a calendar year: those of the buckets that begin in it. */
export interface NewDistributionYear {
  resolution: DistributionResolution;
  /** Its start, Unix seconds. */
  from: number;
  series: Record<DistributionName, Series[]>;
}

/** The values of a bucket at the closes at which it has an address. */
interface Points {
  t: number[];
  /** A list for each of `DISTRIBUTION_FIELDS`. */
  values: number[][];
}

/** A year that is being added up, by the rows of `DistributionSeries`. */
interface OpenYear {
  from: number;
  rows: Map<number, Points>;
}

export class DistributionSeries {
  /** The percentiles of costs on the days so far. */
  readonly percentiles: CostPercentileSeries = new CostPercentileSeries();
  readonly #balanceWords: number;
  readonly #unit: TokenUnit;
  readonly #months: readonly number[];
  /** Rows of the kernel for a group: `users`, or all others. Here a selector has as many. */
  readonly #rowsOfGroup: number;
  readonly #sums = new Map<number, BucketSum>();
  /** Sums of the buckets of costs, of each selector, ascending. */
  readonly #costs = DISTRIBUTION_SELECTORS.map((): { bucket: number; sum: BucketSum }[] => []);
  readonly #open = new Map<DistributionResolution, OpenYear>();

  constructor(outline: Outline) {
    this.#balanceWords = outline.balanceWords;
    this.#unit = new TokenUnit(outline.parameters.decimals);
    this.#months = monthsOf(outline);
    this.#rowsOfGroup = COST_BUCKETS + 2 * this.#months.length;
  }

  /**
   * Goes on by the days of a calendar year.
   *
   * @param partitions what each has logged of it
   * @returns the years that are complete by then
   */
  *addYear(partitions: readonly YearOfChanges[]): Generator<NewDistributionYear> {
    const readers = partitions.map((year) => new ChangeReader(year));
    const { first, days } = partitions[0]!;
    for (let day = 0; day < days; day++) {
      let isChanged = false;
      for (const reader of readers) {
        for (const change of reader.nextDay()) {
          isChanged = true;
          for (const row of this.#rowsOf(change.row)) this.#sumOf(row).add(change, reader.words);
        }
      }
      const start = first + day * BUCKET_SECONDS.day;
      this.percentiles.close(start, isChanged ? (selector) => this.#suppliesOf(selector) : null);
      yield* this.#close(start);
    }
  }

  /** The years that are not complete. */
  *end(): Generator<NewDistributionYear> {
    for (const [resolution, year] of this.#open) yield this.#yearOf(resolution, year);
  }

  /** The supplies of the buckets of costs that have an address, ascending. */
  #suppliesOf(selector: DistributionSelector): CostSupply<bigint>[] {
    return this.#costs[DISTRIBUTION_SELECTORS.indexOf(selector)]!.filter(({ sum }) => sum.addresses > 0).map(
      ({ bucket, sum }) => ({ bucket, supply: sum.raw }),
    );
  }

  /** The rows that a row of the kernel belongs to: that of total, and that of users. */
  #rowsOf(row: number): number[] {
    const isUsers = row < this.#rowsOfGroup;
    return isUsers ? [row, row + this.#rowsOfGroup] : [row - this.#rowsOfGroup];
  }

  #sumOf(row: number): BucketSum {
    const known = this.#sums.get(row);
    if (known) return known;
    const sum = new BucketSum(this.#balanceWords);
    this.#sums.set(row, sum);
    const bucket = row % this.#rowsOfGroup;
    if (bucket < COST_BUCKETS) {
      const costs = this.#costs[Math.floor(row / this.#rowsOfGroup)]!;
      costs.push({ bucket, sum });
      costs.sort((a, b) => a.bucket - b.bucket);
    }
    return sum;
  }

  /** Notes the sums at a day's close for every resolution of which a bucket ends then. */
  *#close(day: number): Generator<NewDistributionYear> {
    for (const [resolution, start] of bucketsEnding(day)) {
      const before = this.#open.get(resolution);
      if (before && before.from !== yearStart(start)) yield this.#yearOf(resolution, before);
      const year = before?.from === yearStart(start) ? before : { from: yearStart(start), rows: new Map() };
      this.#open.set(resolution, year);
      this.#note(year, start);
    }
  }

  #note({ rows }: OpenYear, start: number): void {
    for (const [row, sum] of this.#sums) {
      if (sum.addresses === 0) continue;
      const points = rows.get(row) ?? { t: [], values: DISTRIBUTION_FIELDS.map(() => []) };
      rows.set(row, points);
      points.t.push(start);
      for (const [field, value] of sum.values(this.#unit).entries()) points.values[field]!.push(value);
    }
  }

  #yearOf(resolution: DistributionResolution, { from, rows }: OpenYear): NewDistributionYear {
    const series: NewDistributionYear["series"] = { cost_basis: [], acquired: [], first_seen: [] };
    // A selector's buckets follow each other, and those of a distribution ascend.
    const ascending = [...rows].sort(([a], [b]) => a - b);
    const times = new Map(ascending.map(([row, { t }]) => [row, Float64Array.from(t)]));
    for (const [index, field] of DISTRIBUTION_FIELDS.entries()) {
      for (const [row, { values }] of ascending) {
        const selector = DISTRIBUTION_SELECTORS[Math.floor(row / this.#rowsOfGroup)]!;
        const [distribution, bucket] = this.#bucketOf(row % this.#rowsOfGroup);
        series[distribution].push({
          selector: bucketSeries(field, selector, bucket),
          t: times.get(row)!,
          v: Float64Array.from(values[index]!),
        });
      }
    }
    return { resolution, from, series };
  }

  /** In the order of assembly/distributions.ts. */
  #bucketOf(row: number): [DistributionName, bucket: string] {
    if (row < COST_BUCKETS) return ["cost_basis", costBucketName(row)];
    const month = row - COST_BUCKETS;
    const { length } = this.#months;
    return [month < length ? "acquired" : "first_seen", monthName(this.#months[month % length]!)];
  }
}
