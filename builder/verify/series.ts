/** Decoded series, by metric and selector. */

import type { MetricName } from "../../data-schema/metrics.ts";
import type { SeriesRun } from "../engine/series.ts";

/**
 * The runs of some metrics at one resolution in one period. A series without points has no run; a metric that could not
 * be read has no entry.
 */
export type Series = ReadonlyMap<MetricName, ReadonlyMap<string, SeriesRun>>;

export function bySelector(runs: readonly SeriesRun[]): Map<string, SeriesRun> {
  return new Map(runs.map((run) => [run.selector, run]));
}

/** The places of a run's points: block numbers, or starts of buckets in Unix seconds. */
export function placesIn({ t, block }: SeriesRun): Float64Array {
  return block ?? t;
}
