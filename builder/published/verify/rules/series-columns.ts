/**
 * Decoded series, and their values side by side. A place is the start of a bucket or a block number; a *column* has a value for
 * each of some places, and 0 where there is no point.
 */

import type { MetricName } from "../../../../data-schema/registry.ts";
import type { Series } from "../../../engine/series.ts";

/**
 * The runs of some metrics at one resolution in one period. A series without points has no run; a metric that could not
 * be read has no entry.
 */
export type SeriesByMetric = ReadonlyMap<MetricName, ReadonlyMap<string, Series>>;

export function bySelector(series: readonly Series[]): Map<string, Series> {
  return new Map(series.map((run) => [run.selector, run]));
}

/** The places of a run's points: block numbers, or starts of buckets in Unix seconds. */
export function placesIn({ t, block }: Series): Float64Array {
  return block ?? t;
}

/** The places at which any run has a point, ascending. */
export function placesOf(series: readonly Series[]): Float64Array {
  // The longest run usually has all places of the others.
  const longestFirst = series.map(placesIn).sort((a, b) => b.length - a.length);
  return longestFirst.reduce(union, new Float64Array(0));
}

/** @param a ascending, as `b` */
function union(a: Float64Array, b: Float64Array): Float64Array {
  const added = countMissing(a, b);
  if (added === 0) return a;
  if (a.length === 0) return b;
  const places = new Float64Array(a.length + added);
  for (let i = 0, j = 0, to = 0; to < places.length; to++) {
    const place = j === b.length || a[i]! <= b[j]! ? a[i]! : b[j]!;
    if (a[i] === place) i++;
    if (b[j] === place) j++;
    places[to] = place;
  }
  return places;
}

/** How many places of `b` are not in `a`. */
function countMissing(a: Float64Array, b: Float64Array): number {
  let missing = 0;
  for (let i = 0, j = 0; j < b.length; j++) {
    while (i < a.length && a[i]! < b[j]!) i++;
    if (i === a.length) return missing + b.length - j;
    if (a[i] !== b[j]) missing++;
  }
  return missing;
}

/** Adds the values of a run to a column. Ignores points at other places. */
function addRun(run: Series, places: Float64Array, column: Float64Array): void {
  const { v } = run;
  const at = placesIn(run);
  for (let i = 0, j = 0; j < at.length && i < places.length; ) {
    if (places[i]! < at[j]!) i++;
    else if (places[i]! > at[j]!) j++;
    else column[i++]! += v[j++]!;
  }
}

/** The sum of some runs. */
export function sumOf(series: readonly Series[], places: Float64Array): Float64Array {
  const column = new Float64Array(places.length);
  for (const run of series) addRun(run, places, column);
  return column;
}
