import type { MetricName } from "../../data-schema/registry.ts";
import { EngineRefusal } from "./refusal.ts";

/**
 * The points of one selector in a period, ascending in time.
 *
 * Treat the arrays as read-only: runs of several metrics may share the same `t` and `block`, which are then encoded once.
 */
export interface Series {
  selector: string;
  /** Unix seconds: start of the bucket, or the block's time. */
  t: Float64Array;
  v: Float64Array;
  /** Block numbers, at block resolution. */
  block?: Float64Array;
}

/** The first and the last t of all runs, each of which has a point. */
export function timesOf(series: readonly Series[]): { first: number; last: number } {
  return {
    first: series.reduce((first, { t }) => Math.min(first, t[0]!), Number.POSITIVE_INFINITY),
    last: series.reduce((last, { t }) => Math.max(last, t.at(-1)!), Number.NEGATIVE_INFINITY),
  };
}

/**
 * Whether a number is a point of its series: sums leave out zeros, ratios are NaN where their denominator is 0.
 *
 * @throws {EngineRefusal} a sum exceeds the range of a double
 */
export function isPoint(value: number, shape: "sum" | "ratio", metric: MetricName): boolean {
  if (Number.isFinite(value)) return shape === "ratio" || value !== 0;
  if (shape === "ratio" && Number.isNaN(value)) return false;
  throw new EngineRefusal({ kind: "overflow", metric });
}
