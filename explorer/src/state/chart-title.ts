/** The title of a chart: what its lines show, in words. */

import { joinTitles } from "../format/names.ts";
import type { ChartState } from "./chart-state.ts";
import type { Trace } from "./traces.ts";

/** The titles of the metrics, and formulas as they are named. Prices beside the lines have no part in it. */
export function chartTitle({ panes }: Pick<ChartState, "panes">, traces: readonly Trace[]): string {
  const isFormula = ({ pane, line }: Trace) => panes[pane]?.lines[line ?? -1]?.kind === "formula";
  const titles = traces
    .filter(({ line }) => line !== null)
    .flatMap((trace) => (isFormula(trace) ? trace.name : trace.metrics.map((metric) => metric.title)));
  return joinTitles([...new Set(titles)]);
}
