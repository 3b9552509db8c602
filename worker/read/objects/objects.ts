/** Query and manifest → which objects hold the points. Pure. */

import { RESOLUTION_FACTS, type Resolution } from "../../../data-schema/registry.ts";
import {
  entryOf,
  listedOf,
  type Manifest,
  type ManifestPeriod,
  type ManifestSeries,
  type TableOf,
} from "../../../data-schema/stored.ts";
import { damaged } from "../../problems/problem.ts";
import type { Query } from "../../request/validate.ts";

/**
 * The objects of a metric that may hold points between two times, in order; periods without a row have none.
 *
 * @param since Unix seconds, inclusive, like until
 * @throws {Problem} 500 a period that does not list the metric
 */
export function seriesObjects(
  { metric, resolution }: Query,
  symbol: string,
  periods: readonly ManifestPeriod[],
  since: number,
  until: number,
): ManifestSeries[] {
  if (since > until) return [];
  return periods
    .filter((period) => period.from <= until && period.to > since)
    .flatMap((period) => {
      if (period.metrics[metric]) return listedOf(symbol, resolution, metric, period);
      throw damaged(`the manifest of ${symbol} lists no ${metric} in ${period.name}`);
    });
}

/**
 * How many points a series has between two times, at most. At block resolution a guess: as if the rows of all selectors
 * were its own, and spread evenly over their period.
 *
 * @param since Unix seconds, inclusive, like until
 */
export function mostPoints(
  { resolutions }: Manifest,
  resolution: Resolution,
  of: TableOf,
  since: number,
  until: number,
): number {
  if (resolution === "block") {
    const rows = (resolutions.block?.periods ?? []).map((period) => {
      const { from, to } = period;
      const share = Math.max(0, Math.min(until, to) - Math.max(since, from)) / (to - from);
      return share * (entryOf(period, of)?.rows ?? 0);
    });
    return rows.reduce((sum, count) => sum + count, 0);
  }
  const { first, last } = resolutions[resolution] ?? {};
  if (first == null || last == null) return 0;
  return Math.max(0, (Math.min(until, last) - Math.max(since, first)) / RESOLUTION_FACTS[resolution].least + 1);
}
