/** The explorer's legends: with the controls by which lines are chosen, added and removed. */

import { MOST_CHART_LINES, SCALES } from "../../../../data-schema/chart-link.ts";
import { type CatalogSelector, catalogMetric, findAsset, selectorFamilies } from "../../api/catalog.ts";
import { selectorName, unitTitle } from "../../format/names.ts";
import { divisionsOf, type FamilyLine, familyLine } from "../../lines/family-line.ts";
import type { FormulaLine } from "../../lines/formula-line.ts";
import { isSameLine, type Line } from "../../lines/lines.ts";
import { ofAsset } from "../../lines/of-asset.ts";
import type { SeriesLine } from "../../lines/series-line.ts";
import type { Page, Session } from "../../session.ts";
import { removePane, setLines, setLook } from "../../state/changes.ts";
import type { Pane, Scale } from "../../state/chart-state.ts";
import { commonAsset, type Trace } from "../../state/traces.ts";
import type { FormulaDialog } from "../dialogs/formula-dialog.ts";
import type { OpenLevels } from "../dialogs/level-dialog.ts";
import { h, swatch } from "../dom.ts";
import { familyItem, familyOptions } from "./family-legend.ts";
import { type PaneLegend, plainRow, type Row } from "./legend.ts";
import { styleMenu } from "./style-menu.ts";

/** What the row of a line with one curve offers beside its name and value, by kind. */
const CONTROLS: { [K in SingleLine["kind"]]: (line: Extract<SingleLine, { kind: K }>, place: Place) => Node | string } =
  {
    formula: formulaButton,
    series: seriesMenu,
  };

type SingleLine = Exclude<Line, FamilyLine>;

const controlsOf = (line: SingleLine, place: Place) =>
  (CONTROLS[line.kind] as (line: SingleLine, place: Place) => Node | string)(line, place);

/** Where a line is. */
interface Place {
  pane: number;
  line: number;
  page: Page;
  session: Session;
  formulas: FormulaDialog;
}

/** Makes legends by which the session's lines are chosen. */
export const editableLegend =
  (session: Session, formulas: FormulaDialog) =>
  (traces: readonly Trace[], pane: number, page: Page): PaneLegend => {
    const { lines } = page.chart.panes[pane]!;
    const rows: Row[] = [];
    const items = [...Map.groupBy(traces, ({ line }) => line)].map(([place, own]) => {
      const line = place === null ? undefined : lines[place];
      const remove = removeButton(own[0]!, page, session);
      if (line?.kind === "family") {
        const family = familyItem(line, own, { page, session, remove });
        rows.push(...family.rows);
        return family.item;
      }
      const row = traceRow(own[0]!, line, remove, page, session, formulas);
      // The first published of two vintages has a row without controls.
      const others = own.slice(1).map((trace) => plainRow(trace, page));
      rows.push(row, ...others);
      return [row, ...others].map((one) => one.row);
    });
    return { items: items.flat(), rows };
  };

/** Makes the controls that add lines to a pane. */
export const lineAdders =
  (session: Session, formulas: FormulaDialog, openLevels: OpenLevels) => (pane: number, page: Page) =>
    [
      familyAdder(pane, page, session),
      cohortAdder(pane, page, session),
      assetAdder(pane, page, session),
      formulaAdder(pane, page, formulas),
      levelAdder(pane, openLevels),
    ].filter((adder) => adder !== null);

/** The button that removes a trace's line; false for the chart's only line. */
function removeButton({ pane, line, name, metrics, part }: Trace, { chart }: Page, session: Session) {
  if (chart.panes.length === 1 && chart.panes[0]?.lines.length === 1 && line !== null) return false;
  const onclick = () =>
    session.change((chart) => {
      if (line === null) return setLook(chart, pane, { price: null });
      const lines = chart.panes[pane]?.lines ?? [];
      return lines.length > 1 ? setLines(chart, pane, (lines) => lines.toSpliced(line, 1)) : removePane(chart, pane);
    });
  const label = `Remove ${part ? metrics[0]?.title : name}`;
  const attributes = { type: "button", class: "remove", "aria-label": label, title: "Remove", onclick };
  return h("button", { ...attributes, "data-focus": `remove-${pane}-${line}` }, "×");
}

function traceRow(
  trace: Trace,
  line: SingleLine | undefined,
  remove: HTMLElement | false,
  page: Page,
  session: Session,
  formulas: FormulaDialog,
): Row {
  const { chart, catalog, traces } = page;
  const { pane, name, unit, resolution } = trace;
  const isDrawn = (one: Trace) => one.pane === pane && one.line !== null && one.part?.isDrawn !== false;
  const units = [...new Set(traces.filter(isDrawn).map((one) => one.unit))];
  const isLeft = trace.line !== null && !trace.style.isRight && unit === units[0];
  const side = isLeft ? ["←", " left axis, "] : ["→", " right axis, "];
  const value = h("output", { class: "value" }, "…");
  const title = line?.kind !== "formula" && trace.metrics.length === 1 ? trace.metrics[0]!.title : name;
  const row = h(
    "li",
    { class: trace.line === null ? "price" : trace.style.isOff && "off" },
    trace.line === null ? swatch(trace.color) : styleMenu({ ...trace, line: trace.line }, session),
    h("span", { class: "name" }, title, resolution !== chart.resolution && h("small", {}, " per day")),
    value,
    h(
      "span",
      { class: "which" },
      line
        ? controlsOf(line, { pane, line: trace.line!, page, session, formulas })
        : priceScale(pane, chart.panes[pane]!, session),
      (units.length > 1 || trace.line === null || trace.style.isRight) &&
        h(
          "span",
          { class: "axis" },
          side[0]!,
          h("span", { class: "visually-hidden" }, `${side[1]}${unitTitle(unit, commonAsset([trace], catalog))}`),
        ),
    ),
    remove,
  );
  return { row, value };
}

function seriesMenu(line: SeriesLine, { pane, line: place, page, session }: Place): Node | string {
  const metric = catalogMetric(page.catalog, line.metric);
  const own = line.asset === null ? "" : `${line.asset} `;
  if (!metric?.selector) return own.trim();
  const replace = (choice: SeriesLine) =>
    session.change((chart) => setLines(chart, pane, (all) => all.with(place, choice)));
  const menu = selectorMenu(line, metric.selector, line.selector, pane, page, replace, {
    "aria-label": `${own}${metric.selector.title} of ${metric.title}`,
    "data-focus": `selector-${pane}-${place}`,
  });
  return own === "" ? menu : h("span", {}, own, menu);
}

function formulaButton({ text }: FormulaLine, { pane, line, formulas }: Place): Node {
  const attributes = { type: "button", class: "edit", title: text, "aria-label": `Edit the formula ${text}` };
  const onclick = () => formulas.open({ pane, line });
  return h("button", { ...attributes, onclick, "data-focus": `formula-${pane}-${line}` }, "Edit");
}

/** The menu of the price's scale. */
function priceScale(pane: number, { price }: Pane, session: Session): HTMLSelectElement {
  const onchange = () => session.adjust((chart) => setLook(chart, pane, { price: menu.value as Scale }));
  const options = SCALES.map((scale) => h("option", { value: scale }, scale));
  const menu = h("select", { "aria-label": "Scale of the price", "data-focus": `price-${pane}`, onchange }, ...options);
  menu.value = price ?? "";
  return menu;
}

/** The pane's last series, which menus add others like. */
function lastSeries({ lines }: Pane): SeriesLine | undefined {
  return lines.length < MOST_CHART_LINES
    ? lines.findLast((line): line is SeriesLine => line.kind === "series")
    : undefined;
}

/** A menu that shows all parts of the last series' metric in its place. */
function familyAdder(pane: number, { chart, catalog, asset: own }: Page, session: Session): HTMLElement | null {
  const { lines } = chart.panes[pane]!;
  const place = lines.findLastIndex(({ kind }) => kind === "series");
  const line = lines[place] as SeriesLine | undefined;
  const metric = line && catalogMetric(catalog, line.metric);
  const asset = line && line.asset !== null ? findAsset(catalog, line.asset) : own;
  if (!metric || divisionsOf(metric, asset).length === 0 || lines.some(({ kind }) => kind === "family")) return null;
  const onchange = () => {
    const division = divisionsOf(metric, asset).find(({ by }) => by === menu.value)!;
    const family = familyLine(metric, division, line!.asset);
    session.change((chart) => setLines(chart, pane, (all) => all.with(place, family)));
  };
  const menu = h(
    "select",
    { class: "compare", "aria-label": `Whole family of ${metric.title}`, "data-focus": `family-${pane}`, onchange },
    h("option", { value: "", selected: true }, "Family"),
    ...familyOptions(metric, asset),
  );
  return menu;
}

/** A menu that adds another cohort of the last series. */
function cohortAdder(pane: number, page: Page, session: Session): HTMLElement | null {
  const last = lastSeries(page.chart.panes[pane]!);
  const metric = last && catalogMetric(page.catalog, last.metric);
  if (!metric?.selector) return null;
  const add = (choice: SeriesLine) => session.change((chart) => setLines(chart, pane, (all) => [...all, choice]));
  const menu = selectorMenu(last!, metric.selector, null, pane, page, add, {
    class: "compare",
    "aria-label": `Compare with another series of ${metric.title}`,
    "data-focus": `compare-${pane}`,
  });
  menu.prepend(h("option", { value: "", selected: true }, `+ ${metric.selector.title}`));
  return menu;
}

/** A menu that adds the last series or formula of another asset. */
function assetAdder(pane: number, { chart, catalog }: Page, session: Session): HTMLElement | null {
  const { lines } = chart.panes[pane]!;
  const last = lines.length < MOST_CHART_LINES && lines.findLast(({ kind }) => kind !== "family");
  const lineOf = (symbol: string) => (last ? ofAsset(last, symbol) : null);
  const isNew = (line: Line | null) => line !== null && !lines.some((other) => isSameLine(other, line));
  const others = catalog.assets.filter(({ symbol }) => symbol !== chart.asset && isNew(lineOf(symbol)));
  if (others.length === 0) return null;
  const onchange = () => session.change((chart) => setLines(chart, pane, (all) => [...all, lineOf(menu.value)!]));
  const menu = h(
    "select",
    { class: "compare", "aria-label": "Compare with another asset", "data-focus": `asset-${pane}`, onchange },
    h("option", { value: "", selected: true }, "+ Asset"),
    ...others.map(({ symbol }) => h("option", { value: symbol }, symbol)),
  );
  return menu;
}

/** A button that adds a formula. */
function formulaAdder(pane: number, { chart }: Page, formulas: FormulaDialog): HTMLElement | null {
  if (chart.panes[pane]!.lines.length >= MOST_CHART_LINES) return null;
  const onclick = () => formulas.open({ pane, line: null });
  const attributes = { type: "button", class: "add-formula", "data-focus": `add-formula-${pane}`, onclick };
  return h("button", attributes, "+ Formula");
}

/** A button for lines and bands across the chart. */
const levelAdder = (pane: number, open: OpenLevels): HTMLElement =>
  h(
    "button",
    {
      type: "button",
      class: "add-formula",
      title: "Levels and zones: lines and bands across the chart",
      "data-focus": `add-level-${pane}`,
      onclick: () => open(pane),
    },
    "+ Level",
  );

/** A menu of a metric's series. Those that the pane shows can't be chosen, except the menu's own. */
function selectorMenu(
  line: SeriesLine,
  selector: CatalogSelector,
  own: string | null,
  pane: number,
  { chart, catalog, asset }: Page,
  choose: (choice: SeriesLine) => void,
  attributes: Record<string, string>,
): HTMLSelectElement {
  const shown = chart.panes[pane]?.lines ?? [];
  const named = line.asset === null ? asset : findAsset(catalog, line.asset);
  const option = (value: string) => {
    const isShown = shown.some((other) => isSameLine(other, { ...line, selector: value }));
    return h("option", { value, disabled: isShown && value !== own }, selectorName(value, named));
  };
  const { lots } = catalogMetric(catalog, line.metric) ?? {};
  const groups = selectorFamilies({ selector, ...(lots && { lots }) }, named).map(({ title, values }) =>
    h("optgroup", { label: title }, ...values.map(option)),
  );
  const onchange = () => choose({ ...line, selector: menu.value });
  const menu = h("select", { ...attributes, onchange }, ...groups);
  menu.value = own ?? "";
  return menu;
}
