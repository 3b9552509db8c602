/** Query and manifest → which objects hold the points. Pure. */

import type { ManifestPeriod } from "../../data-schema/manifest.ts";
import { seriesKey } from "../../data-schema/objects.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { damaged } from "../problems.ts";
import type { Query } from "../validate.ts";
import type { StoredObject } from "./ranges.ts";

/** A series object with what the manifest says of it. */
export interface SeriesFile extends StoredObject {
  symbol: string;
  metric: string;
  resolution: Resolution;
  period: ManifestPeriod;
  rows: number;
  /** Length of the Parquet footer in bytes, without the 8 bytes that end the file. */
  footer: number;
  /** First hex digits of the SHA-256 of the footer and those 8 bytes. */
  footerHash: string;
}

/**
 * The objects of a metric that may hold points between two times, in order; periods without a row have none.
 *
 * @param since Unix seconds, inclusive, like until
 * @throws {Problem} 500 a period that does not list the metric
 */
export function seriesFiles(
  { metric, resolution }: Query,
  symbol: string,
  periods: readonly ManifestPeriod[],
  since: number,
  until: number,
): SeriesFile[] {
  if (since > until) return [];
  return periods
    .filter((period) => period.from <= until && period.to > since)
    .flatMap((period) => {
      const object = period.metrics[metric];
      if (object === undefined) throw damaged(`the manifest of ${symbol} lists no ${metric} in ${period.name}`);
      if (!("hash" in object)) return [];
      const key = seriesKey(symbol, resolution, metric, period.name, object.hash);
      return [{ ...object, key, symbol, metric, resolution, period }];
    });
}
