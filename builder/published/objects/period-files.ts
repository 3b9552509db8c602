/** The objects of a period, one metric after the other: new points after those that are already published. */

import { type MetricName, metricByName, type Resolution } from "../../../data-schema/registry.ts";
import type { StoredSeries } from "../../../data-schema/stored.ts";
import { concatMetric } from "../../engine/calendar.ts";
import type { MetricSeries } from "../../engine/flows.ts";
import type { Series } from "../../engine/series.ts";
import { decodeWhole, KnownTimes } from "./decode-series.ts";
import { type SeriesFile, SharedColumns, seriesFile } from "./encode-series.ts";

/** An object of a period. */
export interface PeriodFile {
  file: SeriesFile;
  /** What it holds. */
  series(): readonly Series[];
}

/**
 * @param period its name
 * @param metrics the new points
 * @param published those before them, if the period has begun
 */
export function* periodFiles(
  symbol: string,
  resolution: Resolution,
  period: string,
  metrics: MetricSeries,
  published?: PublishedPoints,
): Generator<PeriodFile> {
  const shared = new SharedColumns();
  const times = new KnownTimes();
  for (const [metric, runs] of metrics) {
    const before = published?.objects[metric];
    if (before && runs.length === 0 && (before.entry.last ?? Number.POSITIVE_INFINITY) < published!.until) {
      const { bytes, entry } = before;
      // A copy: who takes the file may move its memory to another thread.
      const file = { metric, resolution, period, bytes: bytes.slice(), entry };
      yield { file, series: () => decodeWhole(bytes, times) };
      continue;
    }
    const kept = before ? decodeWhole(before.bytes, times).flatMap((run) => pointsBefore(run, published!.until)) : [];
    const all = published ? concatMetric(metricByName(metric), [kept, runs]) : runs;
    const series = all.map((run) => shared.share(run));
    const file = seriesFile(symbol, metricByName(metric), resolution, period, series);
    if (file) yield { file, series: () => series };
  }
}

/** The published objects of a period. */
export interface PublishedPoints {
  /** Their points before this time are kept, Unix seconds. */
  until: number;
  /** Their bytes, compared with their hashes, and what the manifest says of them. */
  objects: Partial<Record<MetricName, { bytes: Uint8Array; entry: StoredSeries }>>;
}

/** The points of a run before a time, Unix seconds; none if there is none. */
export function pointsBefore({ selector, t, v, block }: Series, until: number): Series[] {
  const count = t.findLastIndex((time) => time < until) + 1;
  if (count === 0) return [];
  const cut = (column: Float64Array) => column.subarray(0, count);
  return [{ selector, t: cut(t), v: cut(v), ...(block ? { block: cut(block) } : {}) }];
}
