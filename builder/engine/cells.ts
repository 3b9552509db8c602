/** Running sums of a bucket, one row of numbers per selector, and the points they become. */

import type { MetricName } from "../../data-schema/metrics.ts";
import { Failure } from "../failure.ts";

/** Where flow families add up: the offset of a selector's numbers in `values`, noted as used in this bucket. */
export interface Cells {
  readonly values: Float64Array;
  touch(selector: number): number;
}

/** The sums of the bucket at hand. */
export class BucketCells implements Cells {
  readonly values: Float64Array;
  readonly width: number;
  /** Selectors used in this bucket: the first `used` of `selectors`. */
  readonly selectors: Uint16Array;
  used = 0;
  readonly #inUse: Uint8Array;

  constructor(selectors: number, width: number) {
    this.values = new Float64Array(selectors * width);
    this.width = width;
    this.selectors = new Uint16Array(selectors);
    this.#inUse = new Uint8Array(selectors);
  }

  touch(selector: number): number {
    if (this.#inUse[selector] === 0) {
      this.#inUse[selector] = 1;
      this.selectors[this.used++] = selector;
    }
    return selector * this.width;
  }

  /** Adds the bucket's sums to those of a longer bucket. */
  addTo(longer: BucketCells): void {
    for (let i = 0; i < this.used; i++) {
      const from = this.selectors[i] * this.width;
      const at = longer.touch(this.selectors[i]);
      for (let k = 0; k < this.width; k++) longer.values[at + k] += this.values[from + k];
    }
  }

  clear(): void {
    for (let i = 0; i < this.used; i++) {
      const selector = this.selectors[i];
      this.#inUse[selector] = 0;
      this.values.fill(0, selector * this.width, (selector + 1) * this.width);
    }
    this.used = 0;
  }
}

/** Counts, per selector, the buckets in which it is used: the rows of its densest series. */
export class BucketCensus implements Cells {
  readonly values: Float64Array;
  readonly counts: Uint32Array;
  /** Ordinal of the bucket at hand, from 1. */
  bucket = 0;
  readonly #lastBucket: Uint32Array;

  constructor(selectors: number, width: number) {
    this.values = new Float64Array(width);
    this.counts = new Uint32Array(selectors);
    this.#lastBucket = new Uint32Array(selectors);
  }

  touch(selector: number): number {
    if (this.#lastBucket[selector] !== this.bucket) {
      this.#lastBucket[selector] = this.bucket;
      this.counts[selector]++;
    }
    return 0;
  }
}

/** Growing columns of the points of one series: ordinals of their buckets, and values. */
export class PointColumns {
  buckets = new Uint32Array(64);
  values = new Float64Array(64);
  length = 0;

  push(bucket: number, value: number): void {
    if (this.length === this.buckets.length) this.#grow();
    this.buckets[this.length] = bucket;
    this.values[this.length++] = value;
  }

  #grow(): void {
    const capacity = 2 * this.length;
    const buckets = new Uint32Array(capacity);
    const values = new Float64Array(capacity);
    buckets.set(this.buckets);
    values.set(this.values);
    this.buckets = buckets;
    this.values = values;
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
  throw new Failure(`${metric} is too large for a 64-bit float: check decimals in the asset file and the prices.`);
}
