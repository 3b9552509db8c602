/** Ratios compare with 1: half is as far from it as double. So a log axis suits them, and nothing else. */

import type { Page } from "../session.ts";
import type { Scale } from "../state/chart-state.ts";

/** Whether a trace is such a ratio. Other plain numbers, such as z-scores, may be negative. */
export function isRatio({ traces, data }: Page, trace: number): boolean {
  return traces[trace]?.unit === "ratio" && !data.table.columns[trace]?.some((value) => value < 0);
}

/** The scale of a pane for which nobody has chosen one. */
export function naturalScale(page: Page, pane: number): Scale {
  const own = [...page.traces.keys()].filter((i) => page.traces[i]!.pane === pane && page.traces[i]!.line !== null);
  return own.length > 0 && own.every((trace) => isRatio(page, trace)) ? "log" : "linear";
}

export const shownScale = (page: Page, pane: number): Scale =>
  page.chart.panes[pane]?.scale ?? naturalScale(page, pane);
