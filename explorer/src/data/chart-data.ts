/** The data of a chart: its series joined in one table, and what went wrong. */

import type { Catalog } from "../api/catalog.ts";
import type { Loader } from "../api/load.ts";
import { asProblem, Problem } from "../api/problem.ts";
import type { ChartState } from "../state/chart-state.ts";
import { loadRequests } from "../state/requests.ts";
import { align, EMPTY_TABLE, type Table } from "./table.ts";

export interface ChartData {
  status: "loading" | "no key" | "loaded";
  /** Empty unless the status is "loaded". */
  table: Table;
  /** By series, why it couldn't be loaded; null for a series that was loaded. */
  problems: readonly (Problem | null)[];
  /** Whether a series has more points than a page loads. */
  isTruncated: boolean;
}

const NOTHING = { table: EMPTY_TABLE, problems: [], isTruncated: false };
export const LOADING: ChartData = { status: "loading", ...NOTHING };
const NO_KEY: ChartData = { status: "no key", ...NOTHING };
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
