/** The chart's legend: for each series its colour, cohort and value at the crosshair. Series are chosen here, too. */

import type { Selector } from "../api/catalog.ts";
import { lastValue } from "../data/table.ts";
import { selectorName, unitTitle } from "../format/names.ts";
import { full } from "../format/numbers.ts";
import { bucketTime } from "../format/time.ts";
import { type Page, type Session, visibleRows } from "../session.ts";
import {
  isSameSeries,
  MAX_SERIES,
  resolutionOf,
  type Series,
  type SeriesChoice,
  unitsOf,
} from "../state/chart-state.ts";
import { announce, byId, fill, h } from "./dom.ts";

/** A series' row of the list, and the element for its value. */
interface Row {
  row: HTMLElement;
  value: HTMLElement;
}

export function connectLegend(session: Session): void {
  let rows: Row[] = [];
  session.watch(["asset", "series"], (page) => {
    rows = page.series.map((series, index) => seriesRow(series, index, page, session));
    fill(byId("series"), ...rows.map(({ row }) => row), adder(page, session));
  });
  session.watch(["data"], (page) => renderStatus(page, rows));
  session.watch(["data", "zoom", "cursor"], (page) => renderValues(page, rows));
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
function renderValues(page: Page, rows: readonly Row[]): void {
  const { chart, series, data, cursor } = page;
  const { from, to } = visibleRows(page);
  const row = cursor?.row ?? to - 1;
  const time = data.table.t[row];
  const hasPoint = to > from && time !== undefined;
  const moment = hasPoint ? bucketTime(time, chart.resolution) : "\u00a0";
  byId("moment").textContent = moment;
  if (!hasPoint) return;
  const texts = series.map(({ definition, name }, i) => {
    const column = data.table.columns[i] ?? [];
    // The value of a day holds for its hours and blocks.
    const isCoarse = resolutionOf(definition, chart.resolution) !== chart.resolution;
    const text = full(cursor === null || isCoarse ? lastValue(column, from, row) : column[row], definition.unit);
    const target = rows[i];
    if (target && !data.problems[i]) target.value.textContent = text;
    return `${name}: ${text}`;
  });
  if (cursor?.isByKeyboard) announce(`${moment}. ${texts.join("; ")}.`);
}

function seriesRow(series: Series, index: number, page: Page, session: Session): Row {
  const { definition, name } = series;
  const { chart, asset } = page;
  const [leftUnit, rightUnit] = unitsOf(page.series);
  const side = definition.unit === leftUnit ? "← left" : "→ right";
  const isCoarse = resolutionOf(definition, chart.resolution) !== chart.resolution;
  const value = h("output", { class: "value" }, "…");
  const replace = (choice: SeriesChoice) =>
    session.change((chart) => ({ ...chart, series: chart.series.with(index, choice) }));
  const remove = {
    type: "button",
    class: "remove",
    "aria-label": `Remove ${name}`,
    title: "Remove",
    "data-focus": `remove-${index}`,
    onclick: () => session.change((chart) => ({ ...chart, series: chart.series.toSpliced(index, 1) })),
  };
  const row = h(
    "li",
    { class: `series-${index + 1}` },
    h("span", { class: "swatch", "aria-hidden": "true" }),
    h("span", { class: "name" }, definition.title, isCoarse && h("small", {}, " per day")),
    h(
      "span",
      { class: "which" },
      definition.selector
        ? selectorMenu(series, definition.selector, series.selector, page, replace, {
            "aria-label": `${definition.selector.title} of ${definition.title}`,
            "data-focus": `selector-${index}`,
          })
        : "single series",
      rightUnit && h("span", { class: "axis" }, side, ` axis, ${unitTitle(definition.unit, asset)}`),
    ),
    value,
    page.series.length > 1 && h("button", remove, "×"),
  );
  return { row, value };
}

/** A menu that adds another cohort of the last metric. */
function adder(page: Page, session: Session): HTMLElement | null {
  const last = page.series.at(-1);
  if (!last?.definition.selector || page.series.length >= MAX_SERIES) return null;
  const { title } = last.definition.selector;
  const add = (choice: SeriesChoice) => session.change((chart) => ({ ...chart, series: [...chart.series, choice] }));
  const menu = selectorMenu(last, last.definition.selector, null, page, add, {
    class: "compare",
    "aria-label": `Compare with another series of ${last.definition.title}`,
    "data-focus": "compare",
  });
  menu.prepend(h("option", { value: "", selected: true }, `+ Add ${title.toLowerCase()}`));
  return h("li", { class: "adder" }, menu);
}

/** A menu of a metric's series. Those that the chart shows can't be chosen, except the menu's own. */
function selectorMenu(
  { metric }: Series,
  { families }: Selector,
  own: string | null,
  { series, asset }: Page,
  choose: (choice: SeriesChoice) => void,
  attributes: Record<string, string>,
): HTMLSelectElement {
  const option = (value: string) => {
    const isShown = series.some((other) => isSameSeries(other, { metric, selector: value }));
    return h("option", { value, disabled: isShown && value !== own }, selectorName(value, asset));
  };
  const groups = families.map(({ title, values }) => h("optgroup", { label: title }, ...values.map(option)));
  const onchange = () => choose({ metric, selector: menu.value });
  const menu = h("select", { ...attributes, onchange }, ...groups);
  menu.value = own ?? "";
  return menu;
}
