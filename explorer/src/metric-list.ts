/** The list of metrics: grouped, searched, walked through with the arrow keys. */

import { type Catalog, findAsset, type Metric } from "./catalog.ts";
import { choiceOf, whyNotAdd } from "./changes.ts";
import { byId, fill, h } from "./dom.ts";
import { unitTitle } from "./format.ts";
import { matches } from "./search.ts";
import type { State } from "./state.ts";

export interface MetricListEvents {
  /** Show it alone. */
  onShow(metric: Metric): void;
  /** Put it beside what is shown. */
  onAdd(metric: Metric): void;
}

export class MetricList {
  readonly #search = byId<HTMLInputElement>("search");
  readonly #list = byId("metric-list");
  readonly #toggle = byId<HTMLButtonElement>("open-metrics");
  readonly #events: MetricListEvents;
  #catalog: Catalog | null = null;
  #state: State | null = null;

  constructor(events: MetricListEvents) {
    this.#events = events;
    this.#search.addEventListener("input", () => this.#render());
    byId("metric-panel").addEventListener("keydown", (event) => this.#onKey(event));
    this.#toggle.addEventListener("click", () => this.#open(this.#toggle.getAttribute("aria-expanded") === "false"));
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.#open(true);
      this.#search.focus();
    });
  }

  render(catalog: Catalog, state: State): void {
    const isFirst = this.#catalog === null;
    this.#catalog = catalog;
    this.#state = state;
    this.#render();
    if (isFirst) this.#scrollToShown();
  }

  #scrollToShown(): void {
    const shown = this.#list.querySelector<HTMLElement>(".shown");
    if (shown) this.#list.scrollTop = shown.offsetTop - this.#list.offsetTop - this.#list.clientHeight / 2;
  }

  /** On a narrow page the list folds away. */
  #open(isOpen: boolean): void {
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
  }

  #render(): void {
    const catalog = this.#catalog;
    const state = this.#state;
    if (!catalog || !state) return;
    const words = this.#search.value.trim();
    const groups = catalog.groups
      .map((group) => ({
        ...group,
        metrics: catalog.metrics.filter((metric) => metric.group === group.name && matches(metric, words)),
      }))
      .filter(({ metrics }) => metrics.length > 0);
    fill(
      this.#list,
      ...groups.map(({ name, title, metrics }) =>
        h(
          "section",
          { "aria-labelledby": `group-${name}` },
          h("h2", { id: `group-${name}` }, title),
          h("ul", {}, ...metrics.map((metric) => this.#item(metric, state, catalog))),
        ),
      ),
      groups.length === 0 && h("p", { class: "nothing", role: "status" }, `No metric matches “${words}”.`),
    );
  }

  #item(metric: Metric, state: State, catalog: Catalog): HTMLElement {
    const isShown = state.series.some((choice) => choice.metric === metric.name);
    const why = isShown
      ? "It is shown already: choose another cohort beside the chart."
      : whyNotAdd(state, choiceOf(metric, state.series[0]?.selector), catalog);
    return h(
      "li",
      { class: isShown ? "shown" : undefined },
      h(
        "button",
        {
          type: "button",
          class: "show",
          title: metric.description,
          "aria-current": isShown ? "true" : undefined,
          "data-focus": metric.name,
          onclick: () => {
            this.#open(false);
            this.#events.onShow(metric);
          },
        },
        h("span", { class: "name" }, metric.title),
        h("span", { class: "unit" }, shortUnit(unitTitle(metric.unit, findAsset(catalog, state.asset)))),
      ),
      h(
        "button",
        {
          type: "button",
          class: "add",
          "aria-label": `Compare with ${metric.title}`,
          title: why ?? "Put it beside what is shown",
          "aria-disabled": why ? "true" : undefined,
          "data-focus": `add-${metric.name}`,
          onclick: () => {
            if (why) return;
            this.#open(false);
            this.#events.onAdd(metric);
          },
        },
        "+",
      ),
    );
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.#search.value !== "") {
      this.#search.value = "";
      this.#render();
      this.#search.focus();
      return;
    }
    if (event.key === "Enter" && event.target === this.#search) {
      if (this.#search.value.trim() !== "") this.#list.querySelector<HTMLButtonElement>(".show")?.click();
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...this.#list.querySelectorAll<HTMLButtonElement>(".show")];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = event.key === "ArrowDown" ? at + 1 : at - 1;
    if (next < 0) this.#search.focus();
    else items[next]?.focus();
    event.preventDefault();
  }
}

const shortUnit = (title: string) => title.replace("USD per ", "USD/").replace("count", "#");
