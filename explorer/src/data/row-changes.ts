/** How unusual a change was: its place among those of the buckets before it, over many metrics. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import type { NaturalLook } from "../../../data-schema/registry.ts";
import type { CatalogMetric } from "../api/catalog.ts";
import { changesByPart } from "./value-changes.ts";

export interface RowChange {
  metric: CatalogMetric;
  value: number;
  /** The value of the bucket before. */
  before: number;
  /** Whether the change is told as a part of the value before. */
  isByPart: boolean;
  /** On what share of the buckets before, 0 to 1, the change was smaller, whatever its direction. */
  percentile: number;
}

/** Buckets before that a change is compared with: at most, and at least. */
const MOST_BEFORE = 365;
const FEW = 30;

/** A series whose change is asked for; nulls where it has no value. */
export interface ChangingSeries {
  metric: CatalogMetric;
  values: readonly (number | null)[];
}

/**
 * The largest changes of the last row, the most unusual first. Those that are larger than all before are in the order of how much
 * larger than the usual they are.
 *
 * @param most how many
 */
export function largestChanges(candidates: readonly ChangingSeries[], most: number): RowChange[] {
  return candidates
    .flatMap(({ metric, values }) => rankedChange(metric, values) ?? [])
    .sort((a, b) => b.change.percentile - a.change.percentile || b.times - a.times)
    .slice(0, most)
    .map(({ change }) => change);
}

/** Null where there is no change, or too little to compare it with. */
function rankedChange(
  metric: CatalogMetric & { unit: FormulaUnit; look: NaturalLook },
  values: readonly (number | null)[],
): { change: RowChange; times: number } | null {
  const known = values.slice(-MOST_BEFORE - 2).map((value) => value ?? Number.NaN);
  const isByPart = changesByPart(metric, Float64Array.from(known));
  const sizes = known.slice(1).map((value, i) => {
    const difference = value - known[i]!;
    return Math.abs(isByPart ? difference / known[i]! : difference);
  });
  const own = sizes.at(-1) ?? Number.NaN;
  const others = sizes.slice(0, -1).filter((size) => Number.isFinite(size));
  if (!(Number.isFinite(own) && own > 0) || others.length < FEW) return null;
  const mean = others.reduce((sum, size) => sum + size, 0) / others.length;
  const [before, value] = known.slice(-2) as [number, number];
  const percentile = others.filter((size) => size < own).length / others.length;
  return { change: { metric, value, before, isByPart, percentile }, times: own / mean };
}
