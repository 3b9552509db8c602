/** Sums over time, and the points they become. */

import type { MetricName } from "../../data-schema/metrics.ts";
import { FlowSums, ROW_WIDTH, ROWS } from "./flow-sums.ts";
import { tooLarge } from "./too-large.ts";

/** One row of sums over time: an entry for each bucket in which it was used, ascending. */
export class RowHistory {
  /** Ordinals of the buckets. */
  buckets: Uint32Array;
  /** `width` sums per entry. */
  sums: Float64Array;
  length = 0;
  readonly width: number;

  constructor(width: number) {
    this.width = width;
    this.buckets = new Uint32Array(0);
    this.sums = new Float64Array(0);
  }

  append(bucket: number, values: Float64Array, at: number): void {
    if (this.length === this.buckets.length) this.#grow();
    const { sums, width } = this;
    this.buckets[this.length] = bucket;
    for (let k = 0, to = this.length * width; k < width; k++, to++) sums[to] = values[at + k];
    this.length++;
  }

  #grow(): void {
    const capacity = Math.max(256, 2 * this.length);
    const buckets = new Uint32Array(capacity);
    const sums = new Float64Array(capacity * this.width);
    buckets.set(this.buckets);
    sums.set(this.sums);
    this.buckets = buckets;
    this.sums = sums;
  }
}

/** The histories of the rows that are asked for. */
export class SumHistories {
  /** By the row's number; undefined where it was not asked for. */
  readonly rows: (RowHistory | undefined)[];

  /** @param wanted for each row whether it is kept */
  constructor(wanted: (row: number) => boolean) {
    this.rows = Array.from({ length: ROWS }, (_, row) => (wanted(row) ? new RowHistory(ROW_WIDTH[row]) : undefined));
  }

  /** Appends the sums of a bucket. */
  append(bucket: number, sums: FlowSums): void {
    for (let i = 0; i < sums.usedCount; i++) {
      const row = sums.used[i];
      this.rows[row]?.append(bucket, sums.values, FlowSums.at(row));
    }
  }
}

/**
 * Whether a number is a point of its series: sums leave out zeros, ratios are NaN where their denominator is 0.
 *
 * @throws {Failure} a sum beyond the range of a double
 */
export function isPoint(value: number, shape: "sum" | "ratio", metric: MetricName): boolean {
  if (Number.isFinite(value)) return shape === "ratio" || value !== 0;
  if (shape === "ratio" && Number.isNaN(value)) return false;
  throw tooLarge(metric);
}
