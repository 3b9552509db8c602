/**
 * What suits the lines of a pane for which nobody has chosen. Ratios compare with 1, and half is as far from it as double: so a
 * log axis suits them, and nothing else. What happens in a bucket is a bar of its own.
 */

import type { FormulaUnit } from "../../../../data-schema/formula.ts";
import { computationsOf } from "../../lines/lines.ts";
import type { Page } from "../../session.ts";
import { contextOf, type Mark, type Scale } from "../../state/chart-state.ts";
import type { Trace } from "../../state/traces.ts";

/** Whether a trace is such a ratio. Other plain numbers, such as z-scores, may be negative. */
export function isRatio({ traces, data }: Page, trace: number): boolean {
  return traces[trace]?.unit === "ratio" && !data.table.columns[trace]?.some((value) => value < 0);
}

/** The scale of a pane for which nobody has chosen one. */
export function naturalScale(page: Page, pane: number): Scale {
  const own = [...page.traces.keys()].filter((i) => page.traces[i]!.pane === pane && page.traces[i]!.line !== null);
  // Purchase prices lie apart as ratios do.
  if (page.chart.panes[pane]?.heat === "cost_basis") return "log";
  return own.length > 0 && own.every((trace) => isRatio(page, trace)) ? "log" : "linear";
}

export const shownScale = (page: Page, pane: number): Scale =>
  page.chart.panes[pane]?.scale ?? naturalScale(page, pane);

/** Units of what adds up over time, if it is of flows. */
const SUMS: readonly FormulaUnit[] = ["token", "usd", "count"];

/** Whether a trace's values are sums over their buckets, or differences of such sums: what a formula adds up over rows is not. */
export function isFlow({ chart, catalog }: Page, { pane, line, metrics, unit }: Trace): boolean {
  const { lines, smoothing } = chart.panes[pane]!;
  if (line === null || smoothing !== null || !SUMS.includes(unit)) return false;
  const isOfBuckets = computationsOf(lines[line]!, contextOf(chart, catalog)).every(({ reach }) => reach === 0);
  return isOfBuckets && metrics.length > 0 && metrics.every(({ kind }) => kind === "flow");
}

/**
 * What a pane's lines are drawn as: one flow as bars, which of several would hide each other. Bars need a zero.
 *
 * @param mark what was chosen
 */
export function shownMark(page: Page, mark: Mark | null, pane: number, scale: Scale): Mark {
  const own = page.traces.filter((trace) => trace.pane === pane && trace.line !== null);
  const wanted = mark ?? (own.length === 1 && isFlow(page, own[0]!) ? "bars" : "line");
  return wanted === "bars" && scale === "log" ? "line" : wanted;
}
