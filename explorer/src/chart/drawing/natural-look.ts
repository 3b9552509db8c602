/**
 * What suits the lines of a pane for which nobody has chosen: what the registry says of their metrics and formulas. Of what it
 * doesn't know, the scale is linear, and sums of buckets are bars.
 */

import type { FormulaUnit } from "../../../../data-schema/formula.ts";
import { type NaturalLook, PLAIN } from "../../../../data-schema/registry.ts";
import { computationsOf } from "../../lines/lines.ts";
import type { Page } from "../../session.ts";
import { contextOf, type Mark, type Scale } from "../../state/chart-state.ts";
import type { Trace } from "../../state/traces.ts";

/** What suits a trace as its pane computes it. */
export function naturalLook(page: Page, trace: Trace): NaturalLook {
  const { known, smoothing } = page.chart.panes[trace.pane]!;
  const look = trace.look ?? (isFlow(page, trace) ? { ...PLAIN, mark: "bars" } : PLAIN);
  const mark = smoothing === null ? look.mark : "line";
  // Revisions are of either sign, and mostly nothing.
  return known === "revision" ? { scale: "linear", level: 0, mark } : { ...look, mark };
}

/** The scale of a pane for which nobody has chosen one. */
export function naturalScale(page: Page, pane: number): Scale {
  const own = page.traces.filter((trace) => trace.pane === pane && trace.line !== null);
  // Purchase prices lie apart as ratios do.
  if (page.chart.panes[pane]?.heat === "cost_basis") return "log";
  return own.length > 0 && own.every((trace) => naturalLook(page, trace).scale === "log") ? "log" : "linear";
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
 * What a pane's lines are drawn as: one sum of buckets as bars, which of several would hide each other. Bars need a zero.
 *
 * @param mark what was chosen
 */
export function shownMark(page: Page, mark: Mark | null, pane: number, scale: Scale): Mark {
  const own = page.traces.filter((trace) => trace.pane === pane && trace.line !== null);
  const wanted = mark ?? (own.length === 1 ? naturalLook(page, own[0]!).mark : "line");
  return wanted === "bars" && scale === "log" ? "line" : wanted;
}
