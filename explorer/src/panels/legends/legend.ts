/** Each pane's legend: for each trace its colour, name and value at the crosshair. */

import type { FormulaUnit } from "../../../../data-schema/formula.ts";
import { DISTRIBUTIONS } from "../../../../data-schema/registry.ts";
import { Problem } from "../../api/problem.ts";
import { shownAlert } from "../../chart/drawing/alert-rule.ts";
import { LEVEL_PROPERTIES, levelText, shownLevels } from "../../chart/drawing/levels.ts";
import { columnAt, fullestAt } from "../../data/heat.ts";
import { cellText } from "../../data/heat-text.ts";
import { firstValue, lastValue } from "../../data/table.ts";
import { compact, exact, full, short, signed } from "../../format/numbers.ts";
import { bucketSpan } from "../../format/time.ts";
import { type Page, type Session, visibleRows } from "../../session.ts";
import type { Trace } from "../../state/traces.ts";
import { announce, fill, h, part, swatch } from "../dom.ts";
import { paneFrames } from "./pane-frames.ts";

/** A trace's row of the legend, and the element for its value. */
export interface Row {
  row: HTMLElement;
  value: HTMLElement;
}

/** What a pane's legend lists, and a row for each of the pane's traces, in their order. */
export interface PaneLegend {
  items: (HTMLElement | false)[];
  rows: Row[];
}

/** @param legendOf makes the legend of a pane's traces */
export function connectLegend(
  root: HTMLElement,
  session: Session,
  legendOf: (traces: readonly Trace[], pane: number, page: Page) => PaneLegend,
): void {
  let rows: Row[] = [];
  /** The value of each pane's heatmap, shown where it has one. */
  let heats: HTMLElement[] = [];
  session.watch(["traces", "alert"], (page) => {
    rows = [];
    heats = [];
    for (const [pane, { legend }] of paneFrames(root, page.chart.panes.length).entries()) {
      const own = page.traces.filter((trace) => trace.pane === pane);
      const { items, rows: added } = legendOf(own, pane, page);
      rows.push(...added);
      const { heat } = page.chart.panes[pane]!;
      heats.push(h("output", { class: "value" }));
      const levels = levelRow(page, pane);
      fill(legend, ...items, heat !== null && heatRow(DISTRIBUTIONS[heat].title, heats[pane]!), levels);
    }
  });
  session.watch(["data"], (page) => renderStatus(page, rows));
  session.watch(["traces", "data", "zoom", "range"], (page) => markZeros(page, rows));
  session.watch(["data", "panes", "zoom", "range", "cursor", "zone"], (page) => renderValues(root, page, rows, heats));
}

const heatRow = (title: string, value: HTMLElement) =>
  h(
    "li",
    { class: "heat" },
    h("span", { class: "swatch", "aria-hidden": "true" }),
    h("span", { class: "name" }, title),
    value,
  );

/** What the lines and bands of a pane are; false without any. */
function levelRow(page: Page, pane: number): HTMLElement | false {
  const item = (color: string, text: string) => h("span", {}, swatch(color), text);
  const levels = shownLevels(page, pane).map((level) => item(LEVEL_PROPERTIES[level.color], levelText(level)));
  const alert = shownAlert(page);
  if (alert && page.traces[alert.line.column]?.pane === pane) {
    levels.push(item("--accent", `Alert: ${alert.line.text} ${alert.comparison} ${alert.level}`));
  }
  return levels.length > 0 && h("li", { class: "levels" }, ...levels);
}

/** Where most of a pane's tokens are at a time; null without a heatmap. */
function heatAt({ data, chart }: Page, pane: number, time: number): string | null {
  const heat = data.heats[pane];
  if (!heat || heat instanceof Problem) return null;
  // The week or the month that isn't over has no column yet.
  const until = heat.edges.at(-1)! - 1;
  const fullest = fullestAt(heat, columnAt(heat, Math.min(time, until)));
  return fullest ? `most: ${cellText(fullest, heat, chart.asset)}` : "–";
}

/** A legend that only shows names and values. */
export function plainLegend(traces: readonly Trace[], _pane: number, page: Page): PaneLegend {
  const rows = traces.map((trace) => plainRow(trace, page));
  return { items: rows.map(({ row }) => row), rows };
}

export function plainRow({ name, color, resolution, part }: Trace, { chart }: Page): Row {
  const value = h("output", { class: "value" }, "…");
  const coarse = resolution !== chart.resolution && h("small", {}, ` per ${resolution}`);
  return {
    row: h("li", {}, part?.isDrawn !== false && swatch(color), h("span", { class: "name" }, name, coarse), value),
    value,
  };
}

/** Parts of a family that are zero in all that is visible come last, where a small window has to scroll. */
function markZeros(page: Page, rows: readonly Row[]): void {
  const { from, to } = visibleRows(page);
  for (const [i, { part }] of page.traces.entries()) {
    if (!part || part.role === "whole") continue;
    const visible = page.data.table.columns[i]?.subarray(from, to) ?? [];
    const isZero = visible.length > 0 && !visible.some((value) => value !== 0 && !Number.isNaN(value));
    rows[i]?.row.classList.toggle("zero", isZero);
  }
}

function renderStatus({ data }: Page, rows: readonly Row[]): void {
  const isLoading = data.status === "loading";
  for (const [i, { row, value }] of rows.entries()) {
    const problem = data.problems[i];
    row.classList.toggle("loading", isLoading);
    row.classList.toggle("failed", Boolean(problem));
    if (isLoading) value.textContent = "…";
    if (problem) value.textContent = problem.title;
  }
}

/** Shows the values under the crosshair or, without one, the last visible ones. */
function renderValues(root: HTMLElement, page: Page, rows: readonly Row[], heats: readonly HTMLElement[]): void {
  const { chart, traces, data, cursor, zone } = page;
  const { from, to } = visibleRows(page);
  const row = cursor?.row ?? to - 1;
  const time = data.table.t[row];
  const hasPoint = to > from && time !== undefined;
  const block = data.table.block?.[row] ?? Number.NaN;
  const suffix = Number.isNaN(block) ? "" : `, block ${full(block, "count")}`;
  const moment = hasPoint ? bucketSpan(time, chart.resolution, zone) + suffix : "\u00a0";
  part(root, "moment").textContent = moment;
  if (!hasPoint) {
    if (data.status === "loaded")
      for (const [i, { value }] of rows.entries()) if (!data.problems[i]) value.textContent = "–";
    return;
  }
  const numbers = traces.map(({ resolution }, i) => {
    const column = data.table.columns[i] ?? new Float64Array();
    // The value of a day holds for its hours and blocks.
    const isCoarse = resolution !== chart.resolution;
    return (cursor === null || isCoarse ? lastValue(column, from, row) : column[row]) ?? Number.NaN;
  });
  const texts = traces.map(({ unit, name, pane, line }, i) => {
    const number = numbers[i]!;
    const column = data.table.columns[i] ?? new Float64Array();
    const base = chart.panes[pane]?.isIndexed && line !== null ? firstValue(column, from, to) : undefined;
    const whole = wholeOf(traces, i);
    const ofWhole = whole === undefined ? undefined : { value: numbers[whole]!, unit: traces[whole]!.unit };
    const [text, aside] = partTexts(number, unit, ofWhole);
    const own = text + (base && base > 0 && number >= 0 ? ` ${change(number / base - 1)}` : "");
    const target = rows[i];
    if (target && !data.problems[i]) {
      const second = aside === undefined ? "" : ` · ${aside}`;
      if (target.value.textContent !== own + second) {
        target.value.replaceChildren(own, second && h("span", { class: "second" }, second));
      }
      target.value.title = exact(number, unit);
    }
    return `${name}: ${aside === undefined ? own : `${own}, ${aside}`}`;
  });
  for (const [pane, value] of heats.entries()) {
    const text = heatAt(page, pane, time);
    value.textContent = text ?? "";
    if (text !== null) texts.push(text);
  }
  if (cursor?.isByKeyboard) announce(`${moment}. ${texts.join("; ")}.`);
}

/** The change since the left edge, to a hundredth of a per cent: `(+7.5 %)`. */
const change = (share: number): string => `(${signed(Math.round(share * 1e4) / 1e4, "share")})`;

/** The place of the whole of which a trace is a part; undefined for other traces and for parts that don't add up. */
function wholeOf(traces: readonly Trace[], i: number): number | undefined {
  const { pane, line, part } = traces[i]!;
  if (!part || part.role === "whole") return undefined;
  const place = traces.findIndex((one) => one.pane === pane && one.line === line && one.part?.isDrawn === false);
  return place === -1 ? undefined : place;
}

interface Whole {
  value: number;
  unit: FormulaUnit;
}

/** A value and, for a part of a whole, its share of that; what is drawn comes first. */
function partTexts(value: number, unit: FormulaUnit, whole: Whole | undefined): string[] {
  if (!whole || Number.isNaN(value)) return [short(value, unit)];
  if (unit === "share") return [shareText(value), short(value * whole.value, whole.unit)];
  return [short(value, unit), shareText(value / whole.value)];
}

/** A share, to a hundredth of a per cent at most. */
function shareText(share: number): string {
  if (share > 0 && share < 1e-4) return `< ${compact(1e-4, "share")}`;
  return compact(Number(share.toFixed(4)), "share");
}
