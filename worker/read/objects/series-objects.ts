/** Query and manifest → which objects hold the points. Pure. */

import { listedOf, type ManifestPeriod, type ManifestSeries } from "../../../data-schema/stored.ts";
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
