/** The objects of a period, one metric after the other: new points after those that are already published. */

import { type MetricName, metricByName, type Resolution } from "../../../data-schema/registry.ts";
import { concatMetric } from "../../engine/calendar.ts";
import type { MetricSeries } from "../../engine/flows.ts";
import type { Series } from "../../engine/series.ts";
import { decodeWhole, KnownTimes } from "./decode-series.ts";
import { type SeriesFile, SharedColumns, seriesFile } from "./encode-series.ts";

/**
 * @param period its name
 * @param metrics the new points
 * @param published those before them, if the period has begun
 * @returns each with the series that it holds
 */
export function* periodFiles(
  symbol: string,
  resolution: Resolution,
  period: string,
  metrics: MetricSeries,
  published?: PublishedPoints,
): Generator<{ file: SeriesFile; series: readonly Series[] }> {
  const shared = new SharedColumns();
  for (const [name, runs] of published ? append(published, metrics) : metrics) {
    const series = runs.map((run) => shared.share(run));
    const file = seriesFile(symbol, metricByName(name), resolution, period, series);
    if (file) yield { file, series };
  }
}

/** The published objects of a period. */
export interface PublishedPoints {
  /** Their points before this time are kept, Unix seconds. */
  until: number;
  /** Their bytes, compared with their hashes. */
  objects: Partial<Record<MetricName, Uint8Array>>;
}

/** Each metric's series: the published points before `until`, then the new ones. */
function* append({ until, objects }: PublishedPoints, metrics: MetricSeries): Generator<[MetricName, Series[]]> {
  const times = new KnownTimes();
  for (const [name, runs] of metrics) {
    const object = objects[name];
    const kept = object ? decodeWhole(object, times).flatMap((run) => pointsBefore(run, until)) : [];
    yield [name, concatMetric(metricByName(name), [kept, runs])];
  }
}

/** The points of a run before a time, Unix seconds; none if there is none. */
export function pointsBefore({ selector, t, v, block }: Series, until: number): Series[] {
  const count = t.findLastIndex((time) => time < until) + 1;
  if (count === 0) return [];
  const cut = (column: Float64Array) => column.subarray(0, count);
  return [{ selector, t: cut(t), v: cut(v), ...(block ? { block: cut(block) } : {}) }];
}
