/** A chart's line → a rule of docs/alerts.md, and when it would have fired. Pure: the dialog and the drawing show it. */

import { firingRows, holds } from "../../../../data-schema/formula.ts";
import { lastValue } from "../../data/table.ts";
import { formatLine } from "../../lines/lines.ts";
import type { Threshold } from "../../lines/threshold.ts";
import type { Page } from "../../session.ts";

/** A line of which a rule can be made. */
export interface AlertLine {
  /** In the language of formulas. */
  text: string;
  /** Its column of the chart's data. */
  column: number;
}

export type AlertCondition = Omit<Threshold, "line"> & { line: AlertLine };

/** The chart's alert, with the column of its line; null without one, and while no line says the same. */
export function shownAlert(page: Pick<Page, "chart" | "traces">): AlertCondition | null {
  const { alert } = page.chart;
  const line = alert && alertLines(page).find(({ text }) => text === alert.line);
  return line ? { ...alert, line } : null;
}

/** The lines that are drawn as their formulas say: not families, averages and what was first published, nor blocks. */
export function alertLines({ chart: { panes, resolution }, traces }: Pick<Page, "chart" | "traces">): AlertLine[] {
  return traces.flatMap((trace, column) => {
    const pane = panes[trace.pane];
    const line = pane?.lines[trace.line ?? -1];
    if (!pane || !line || line.kind === "family" || trace.resolution !== resolution || resolution === "block")
      return [];
    if (pane.smoothing !== null || pane.known !== null) return [];
    return [{ text: formatLine(line).replace(/^=/, ""), column }];
  });
}

/** The rule as JSON. */
export function ruleText(
  { line, comparison, level, count }: AlertCondition,
  { asset, resolution }: Page["chart"],
): string {
  const when = `${line.text} ${comparison} ${level}`;
  const rule = {
    name: `${asset}: ${when}`,
    assets: [asset],
    when,
    ...(count > 1 && { for: count }),
    ...(resolution !== "day" && { resolution }),
    post: "SLACK_URL",
    format: "slack",
  };
  return JSON.stringify(rule, null, 2);
}

/** The times at which the rule would have fired, of the rows that are loaded; Unix seconds. */
export function firedAt({ line, comparison, level, count }: AlertCondition, { table, gaps }: Page["data"]): number[] {
  const values = new Map(Array.from(gaps[line.column] ?? [], (t) => [t, Number.NaN]));
  // Rows of other lines are none of this one.
  for (const [row, value] of table.columns[line.column]!.entries()) {
    if (!Number.isNaN(value)) values.set(table.t[row]!, value);
  }
  const own = [...values.keys()].sort((a, b) => a - b);
  const isTrue = (row: number) => holds(comparison, values.get(own[row]!)!, level);
  return firingRows(isTrue, own.length, count).map((row) => own[row]!);
}

/** The last value of a line, of four digits; 0 without one. */
export function lastLevel({ column }: AlertLine, { table }: Page["data"]): number {
  const last = lastValue(table.columns[column]!, 0, table.t.length - 1) ?? 0;
  return Number(last.toPrecision(4));
}
