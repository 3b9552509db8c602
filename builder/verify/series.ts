/** Decoded series, by metric and selector. */

import type { MetricName } from "../../data-schema/metrics.ts";
import type { SeriesRun } from "../engine/series.ts";

/**
 * The runs of some metrics at one resolution and in one period. A series without points has no run, a metric without
 * points none at all; a metric that could not be read has no entry.
 */
export type Series = ReadonlyMap<MetricName, ReadonlyMap<string, SeriesRun>>;

export function bySelector(runs: readonly SeriesRun[]): Map<string, SeriesRun> {
  return new Map(runs.map((run) => [run.selector, run]));
}

/** What tells the points of a run apart: block numbers, or starts of buckets. */
export function placesIn({ t, block }: SeriesRun): Float64Array {
  return block ?? t;
}
