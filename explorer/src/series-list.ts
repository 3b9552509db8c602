/** The series that are shown: colour, cohort, value under the crosshair. It is the chart's legend, too. */

import { type Asset, type Catalog, findAsset, findMetric, type Metric, type Unit } from "./catalog.ts";
import { byId, fill, h } from "./dom.ts";
import { full, selectorName, seriesName, unitTitle } from "./format.ts";
import type { Problem } from "./problem.ts";
import { type Choice, MOST_SERIES, resolutionOf, type State, same, unitsOf } from "./state.ts";

export interface SeriesListEvents {
  onSelector(index: number, selector: string): void;
  onRemove(index: number): void;
  onAdd(choice: Choice): void;
}

/** How a series fares. */
export type Standing = "loading" | "ready" | Problem;

export class SeriesList {
  readonly #list = byId("series");
  readonly #events: SeriesListEvents;
  #values: { element: HTMLElement; unit: Unit }[] = [];

  constructor(events: SeriesListEvents) {
    this.#events = events;
  }

  render(catalog: Catalog, state: State): void {
    const asset = findAsset(catalog, state.asset);
    this.#values = [];
    fill(
      this.#list,
      ...state.series.map((choice, index) => this.#row(choice, index, catalog, state, asset)),
      this.#adder(catalog, state, asset),
    );
  }

  /** The values of a row of the chart, by series; undefined where there is no point. */
  setValues(values: readonly (number | null | undefined)[]): void {
    for (const [i, { element, unit }] of this.#values.entries()) {
      // What is wrong stays said.
      if (element.closest("li")!.classList.contains("failed")) continue;
      const value = values[i];
      element.textContent = value === null || value === undefined ? "–" : full(value, unit);
    }
  }

  setStandings(standings: readonly Standing[]): void {
    for (const [i, { element }] of this.#values.entries()) {
      const standing = standings[i] ?? "ready";
      const row = element.closest("li")!;
      row.classList.toggle("loading", standing === "loading");
      row.classList.toggle("failed", standing instanceof Error);
      if (standing === "loading") element.textContent = "…";
      if (standing instanceof Error) element.textContent = standing.title;
    }
  }

  #row(choice: Choice, index: number, catalog: Catalog, state: State, asset: Asset | undefined): HTMLElement {
    const metric = findMetric(catalog, choice.metric)!;
    const name = seriesName(metric, choice.selector, asset);
    const value = h("output", { class: "value" }, "…");
    this.#values.push({ element: value, unit: metric.unit });
    const coarse = resolutionOf(metric, state.resolution) !== state.resolution;
    const units = unitsOf(state.series, catalog);
    return h(
      "li",
      { class: `series-${index + 1}` },
      h("span", { class: "swatch", "aria-hidden": "true" }),
      h("span", { class: "name" }, metric.title, coarse && h("small", {}, " per day")),
      h(
        "span",
        { class: "which" },
        metric.selector ? this.#cohorts(metric, choice.selector!, index, state, asset) : "one series",
        units.length > 1 &&
          h(
            "span",
            { class: "axis" },
            metric.unit === units[0] ? "← left" : "→ right",
            ` axis, ${unitTitle(metric.unit, asset)}`,
          ),
      ),
      value,
      state.series.length > 1 &&
        h(
          "button",
          {
            type: "button",
            class: "remove",
            "aria-label": `Remove ${name}`,
            title: "Remove",
            "data-focus": `remove-${index}`,
            onclick: () => this.#events.onRemove(index),
          },
          "×",
        ),
    );
  }

  #cohorts(metric: Metric, selected: string, index: number, state: State, asset: Asset | undefined): HTMLElement {
    const selector = metric.selector!;
    const taken = (value: string) =>
      state.series.some((other) => same(other, { metric: metric.name, selector: value }));
    const select = h(
      "select",
      {
        "aria-label": `${selector.title} of ${metric.title}`,
        "data-focus": `selector-${index}`,
        onchange: () => this.#events.onSelector(index, select.value),
      },
      ...options(selector.families, asset, (value) => value !== selected && taken(value)),
    );
    select.value = selected;
    return select;
  }

  /** Puts another cohort of the last metric beside the others. */
  #adder(catalog: Catalog, state: State, asset: Asset | undefined): HTMLElement | null {
    const last = state.series.at(-1);
    const metric = last && findMetric(catalog, last.metric);
    if (!metric?.selector || state.series.length >= MOST_SERIES) return null;
    const taken = (value: string) =>
      state.series.some((other) => same(other, { metric: metric.name, selector: value }));
    const select = h(
      "select",
      {
        class: "compare",
        "aria-label": `Compare with another series of ${metric.title}`,
        "data-focus": "compare",
        onchange: () => this.#events.onAdd({ metric: metric.name, selector: select.value }),
      },
      h("option", { value: "" }, `+ Another ${metric.selector.title.toLowerCase()}`),
      ...options(metric.selector.families, asset, taken),
    );
    return h("li", { class: "adder" }, select);
  }
}

function options(
  families: { title: string; values: string[] }[],
  asset: Asset | undefined,
  isTaken: (value: string) => boolean,
): HTMLElement[] {
  return families.map(({ title, values }) =>
    h(
      "optgroup",
      { label: title },
      ...values.map((value) => h("option", { value, disabled: isTaken(value) }, selectorName(value, asset))),
    ),
  );
}
