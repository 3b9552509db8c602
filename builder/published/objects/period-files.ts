/** The objects of a period, one metric after the other. */

import { metricByName, type Resolution } from "../../../data-schema/registry.ts";
import type { MetricSeries } from "../../engine/flows.ts";
import { append, type PublishedPoints } from "./append.ts";
import { type SeriesFile, seriesFile } from "./object.ts";
import { SharedColumns } from "./shared-columns.ts";

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
): Generator<SeriesFile> {
  const shared = new SharedColumns();
  for (const [name, runs] of published ? append(published, metrics) : metrics) {
    const series = runs.map((run) => shared.share(run));
    const file = seriesFile(symbol, metricByName(name), resolution, period, series);
    if (file) yield file;
  }
}
