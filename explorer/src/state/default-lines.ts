/** What a page shows whose address names no lines. */

import type { Catalog } from "../api/catalog.ts";
import { type Line, problemOf } from "../lines/lines.ts";
import { parseAddress } from "./address.ts";
import { seriesLine } from "./changes.ts";
import { type ChartState, contextOf } from "./chart-state.ts";

/** The first example chart. */
export const FIRST_VIEW = "y=market_cap&y=realised_cap";

/** The lines of the first example chart or, if the catalog lacks a part of that, the first metric. */
export const defaultLines = (catalog: Catalog): Line[] =>
  chartOf(FIRST_VIEW, catalog)?.panes[0]?.lines ??
  catalog.metrics.slice(0, 1).map((metric) => seriesLine(metric, null));

/** The chart of a link; undefined if the catalog lacks a part of it. */
export function chartOf(search: string, catalog: Catalog): ChartState | undefined {
  const { chart, notes } = parseAddress(`?${search}`, catalog, []);
  // A formula of unknown metrics is a line, too: one that says what is wrong.
  const context = contextOf(chart, catalog);
  const isWhole = chart.panes.every(({ lines }) => lines.every((line) => problemOf(line, context) === null));
  return notes.length === 0 && isWhole ? chart : undefined;
}
