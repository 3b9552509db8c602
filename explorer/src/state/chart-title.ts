/** The title of a chart: what its lines show, in words. */

import { DISTRIBUTIONS, familyTitle } from "../../../data-schema/registry.ts";
import { joinTitles } from "../format/names.ts";
import type { ChartState } from "./chart-state.ts";
import type { Trace } from "./traces.ts";

/** The titles of the metrics and families, and formulas as they are named. Prices beside the lines have no part in it. */
export function chartTitle({ panes }: Pick<ChartState, "panes">, traces: readonly Trace[]): string {
  const isAlone = panes.length === 1 && panes[0]!.lines.length === 1;
  const titles = traces.flatMap(({ pane, line: place, name, metrics, isFirst }) => {
    // It is beside the same as it is known now.
    if (isFirst && panes[pane]?.known === "both") return [];
    const line = panes[pane]?.lines[place ?? -1];
    if (line?.kind === "formula") return name;
    // A cohort alone is what the chart is about.
    if (line?.kind === "series" && isAlone && line.selector !== metrics[0]?.selector?.default) return name;
    return metrics.flatMap((metric) =>
      line?.kind === "family" ? familyTitle(metric.title, line.by) : place === null ? [] : metric.title,
    );
  });
  const heats = panes.flatMap(({ heat }) => (heat === null ? [] : DISTRIBUTIONS[heat].title));
  return joinTitles([...new Set([...titles, ...heats])]);
}
