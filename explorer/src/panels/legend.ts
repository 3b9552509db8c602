/** The chart's legend: for each series its colour, cohort and value at the crosshair. Series are chosen here, too. */

import { type Asset, findAsset, type Selector } from "../api/catalog.ts";
import { lastValue } from "../data/table.ts";
import { selectorName, unitTitle } from "../format/names.ts";
import { full } from "../format/numbers.ts";
import { bucketTime } from "../format/time.ts";
import { type Page, type Session, visibleRows } from "../session.ts";
import { addSeries, removeSeries, replaceSeries } from "../state/changes.ts";
import { MAX_SERIES, resolutionOf, type Series, unitsOf } from "../state/chart-state.ts";
import { announce, byId, fill, h } from "./dom.ts";

export class Legend {
  readonly #session: Session;
  readonly #list = byId("series");
  readonly #time = byId("moment");
  /** By series: its row of the list, and where its value goes. */
  #rows: { row: HTMLElement; value: HTMLElement }[] = [];

  constructor(session: Session) {
    this.#session = session;
    session.watch(
      ({ chart, series }) => [chart.asset, series],
      (page) => this.#render(page),
    );
    session.watch(
      ({ data }) => [data],
      (page) => this.#showStatus(page),
    );
    session.watch(
      ({ data, chart, cursor }) => [data, chart.zoom, cursor],
      (page) => this.#showValues(page),
    );
  }

  #render(page: Page): void {
    const asset = findAsset(page.catalog, page.chart.asset);
    this.#rows = page.series.map((series, index) => this.#row(series, index, page, asset));
    fill(this.#list, ...this.#rows.map(({ row }) => row), this.#adder(page, asset));
  }

  #showStatus({ data }: Page): void {
    for (const [i, { row, value }] of this.#rows.entries()) {
      const problem = data.problems[i];
      row.classList.toggle("loading", data.status === "loading");
      row.classList.toggle("failed", Boolean(problem));
      if (data.status === "loading") value.textContent = "…";
      if (problem) value.textContent = problem.title;
    }
  }

  /** Shows the values under the crosshair or, without one, the last visible ones. */
  #showValues(page: Page): void {
    const { chart, series, data, cursor } = page;
    const { from, to } = visibleRows(page);
    const row = cursor?.row ?? to - 1;
    const time = data.table.t[row];
    if (to <= from || time === undefined) {
      this.#time.textContent = "\u00a0";
      return;
    }
    this.#time.textContent = bucketTime(time, chart.resolution);
    const texts = series.map(({ definition }, i) => {
      const column = data.table.columns[i] ?? [];
      // The value of a day holds for its hours and blocks.
      const isCoarse = resolutionOf(definition, chart.resolution) !== chart.resolution;
      return full(cursor === null || isCoarse ? lastValue(column, from, row) : column[row], definition.unit);
    });
    for (const [i, { value }] of this.#rows.entries()) {
      if (!data.problems[i]) value.textContent = texts[i] ?? "";
    }
    if (cursor?.isByKeyboard) {
      announce(`${this.#time.textContent}. ${series.map(({ name }, i) => `${name}: ${texts[i]}`).join("; ")}.`);
    }
  }

  #row(series: Series, index: number, { catalog, chart, series: all }: Page, asset: Asset | undefined) {
    const { definition, name } = series;
    const { selector, title, unit } = definition;
    const [leftUnit, rightUnit] = unitsOf(all);
    const isCoarse = resolutionOf(definition, chart.resolution) !== chart.resolution;
    const value = h("output", { class: "value" }, "…");
    const row = h(
      "li",
      { class: `series-${index + 1}` },
      h("span", { class: "swatch", "aria-hidden": "true" }),
      h("span", { class: "name" }, title, isCoarse && h("small", {}, " per day")),
      h(
        "span",
        { class: "which" },
        selector ? this.#selectorMenu(series, selector, index, all, asset) : "single series",
        rightUnit &&
          h("span", { class: "axis" }, unit === leftUnit ? "← left" : "→ right", ` axis, ${unitTitle(unit, asset)}`),
      ),
      value,
      all.length > 1 &&
        h(
          "button",
          {
            type: "button",
            class: "remove",
            "aria-label": `Remove ${name}`,
            title: "Remove",
            "data-focus": `remove-${index}`,
            onclick: () => this.#session.show(removeSeries(chart, index, catalog)),
          },
          "×",
        ),
    );
    return { row, value };
  }

  #selectorMenu(
    { metric, selector, definition }: Series,
    { title, families }: Selector,
    index: number,
    all: readonly Series[],
    asset: Asset | undefined,
  ): HTMLElement {
    const menu = h(
      "select",
      {
        "aria-label": `${title} of ${definition.title}`,
        "data-focus": `selector-${index}`,
        onchange: () => {
          const { chart, catalog } = this.#session.page;
          this.#session.show(replaceSeries(chart, index, { metric, selector: menu.value }, catalog));
        },
      },
      ...options(families, asset, (value) => value !== selector && isShown(all, metric, value)),
    );
    menu.value = selector ?? "";
    return menu;
  }

  /** A menu that adds another cohort of the last metric. */
  #adder({ series }: Page, asset: Asset | undefined): HTMLElement | null {
    const last = series.at(-1);
    if (!last?.definition.selector || series.length >= MAX_SERIES) return null;
    const { metric, definition } = last;
    const menu = h(
      "select",
      {
        class: "compare",
        "aria-label": `Compare with another series of ${definition.title}`,
        "data-focus": "compare",
        onchange: () => {
          const { chart, catalog } = this.#session.page;
          this.#session.show(addSeries(chart, { metric, selector: menu.value }, catalog));
        },
      },
      h("option", { value: "" }, `+ Add ${last.definition.selector.title.toLowerCase()}`),
      ...options(last.definition.selector.families, asset, (value) => isShown(series, metric, value)),
    );
    return h("li", { class: "adder" }, menu);
  }
}

const isShown = (all: readonly Series[], metric: string, selector: string) =>
  all.some((series) => series.metric === metric && series.selector === selector);

function options(
  families: Selector["families"],
  asset: Asset | undefined,
  isDisabled: (value: string) => boolean,
): HTMLElement[] {
  return families.map(({ title, values }) =>
    h(
      "optgroup",
      { label: title },
      ...values.map((value) => h("option", { value, disabled: isDisabled(value) }, selectorName(value, asset))),
    ),
  );
}
