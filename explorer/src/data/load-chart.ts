/** Loads the data of a chart. */

import type { Catalog } from "../api/catalog.ts";
import type { Loader } from "../api/load.ts";
import { asProblem, Problem } from "../api/problem.ts";
import type { ChartState } from "../state/chart-state.ts";
import { loadRequests } from "../state/requests.ts";
import { type ChartData, NO_KEY } from "./chart-data.ts";
import { align } from "./table.ts";

const NO_POINTS = { t: new Float64Array(), v: new Float64Array() };

/** Loads a chart's series. One that fails leaves the others alone. */
export async function loadChart(
  chart: ChartState,
  catalog: Catalog,
  loader: Loader,
  key: string | null,
  signal: AbortSignal,
): Promise<ChartData> {
  if (key === null) return NO_KEY;
  const results = await Promise.all(
    loadRequests(chart, catalog).map((request) => loader.load(request, key, signal).catch(asProblem)),
  );
  const loaded = results.map((result) => (result instanceof Problem ? undefined : result));
  return {
    status: "loaded",
    table: align(loaded.map((series) => series?.points ?? NO_POINTS)),
    problems: results.map((result) => (result instanceof Problem ? result : null)),
    isTruncated: loaded.some((series) => series?.isTruncated),
  };
}
