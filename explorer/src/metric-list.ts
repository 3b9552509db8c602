/** The list of metrics: grouped or searched. It is one stop of the Tab key, walked through with the arrow keys. */

import { type Catalog, findAsset } from "./catalog.ts";
import { choiceOf, whyNotAdd } from "./changes.ts";
import { byId, fill, h } from "./dom.ts";
import { seriesName, unitTitle } from "./format.ts";
import { type Found, search } from "./search.ts";
import type { Choice, State } from "./state.ts";

export interface MetricListEvents {
  /** Show it alone. */
  onShow(choice: Choice): void;
  /** Put it beside what is shown. */
  onAdd(choice: Choice): void;
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
    this.#list.addEventListener("focusin", ({ target }) => this.#setStop(target as HTMLElement));
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

  /** Puts the group of what is shown on top, or as near to it as leaves the metric in sight. */
  #scrollToShown(): void {
    const shown = this.#list.querySelector<HTMLElement>(".shown");
    if (!shown) return;
    const end = shown.offsetTop + shown.offsetHeight - this.#list.clientHeight;
    this.#list.scrollTop = Math.max(shown.closest("section")!.offsetTop, end) - this.#list.offsetTop;
  }

  /** On a narrow page the list folds away. */
  #open(isOpen: boolean): void {
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#scrollToShown();
  }

  /** The one button that the Tab key stops at. */
  #setStop(button: HTMLElement | null): void {
    for (const old of this.#list.querySelectorAll<HTMLElement>("[tabindex='0']")) old.tabIndex = -1;
    if (button) button.tabIndex = 0;
  }

  #render(): void {
    const catalog = this.#catalog;
    const state = this.#state;
    if (!catalog || !state) return;
    const words = this.#search.value.trim();
    if (words === "") {
      const all = catalog.metrics.map((metric) => ({ metric, selector: null }));
      fill(
        this.#list,
        ...catalog.groups.map(({ name, title }) => {
          const members = all.filter(({ metric }) => metric.group === name);
          return members.length > 0 && this.#section(name, title, "", members, state, catalog);
        }),
      );
    } else {
      const { found, note } = search(catalog, words);
      const title = found.length === 1 ? "1 metric" : `${found.length} metrics`;
      fill(
        this.#list,
        found.length > 0
          ? this.#section("found", title, note, found, state, catalog)
          : h("p", { class: "nothing", role: "status" }, `No metric matches “${words}”.`),
      );
    }
    const inList = (selector: string) => this.#list.querySelector<HTMLElement>(selector);
    this.#setStop(inList(":focus") ?? inList(".shown .show") ?? inList(".show"));
  }

  #section(name: string, title: string, note: string, members: Found[], state: State, catalog: Catalog): HTMLElement {
    return h(
      "section",
      { "aria-labelledby": `group-${name}` },
      h("h2", { id: `group-${name}` }, title),
      note !== "" && h("p", { class: "note", role: "status" }, note),
      h("ul", {}, ...members.map((member) => this.#item(member, state, catalog))),
    );
  }

  #item({ metric, selector }: Found, state: State, catalog: Catalog): HTMLElement {
    const asset = findAsset(catalog, state.asset);
    const choice = choiceOf(metric, selector ?? state.series[0]?.selector);
    const title = selector === null ? metric.title : seriesName(metric, selector, asset);
    const isShown = state.series.some(
      (shown) => shown.metric === metric.name && (selector === null || shown.selector === selector),
    );
    const why = isShown
      ? "It is shown already: choose another cohort beside the chart."
      : whyNotAdd(state, choice, catalog);
    return h(
      "li",
      { class: isShown ? "shown" : undefined },
      h(
        "button",
        {
          type: "button",
          class: "show",
          tabindex: "-1",
          title: metric.description,
          "aria-current": isShown ? "true" : undefined,
          "data-focus": metric.name,
          onclick: () => {
            this.#open(false);
            this.#events.onShow(choice);
          },
        },
        h("span", { class: "name" }, title),
        h("span", { class: "unit" }, shortUnit(unitTitle(metric.unit, asset))),
      ),
      h(
        "button",
        {
          type: "button",
          class: "add",
          tabindex: "-1",
          "aria-label": `Compare with ${title}`,
          title: why ?? "Put it beside what is shown",
          "aria-disabled": why ? "true" : undefined,
          "data-focus": `add-${metric.name}`,
          onclick: () => {
            if (why) return;
            this.#open(false);
            this.#events.onAdd(choice);
          },
        },
        "+",
      ),
    );
  }

  /** Up and down go from metric to metric, right and left between showing and comparing; the search is above the first. */
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
    const at = document.activeElement!;
    const column = [...this.#list.querySelectorAll<HTMLElement>(at.matches(".add") ? ".add" : ".show")];
    const row = column.indexOf(at as HTMLElement);
    const next = {
      ArrowDown: column[row + 1],
      ArrowUp: column[row - 1] ?? this.#search,
      ...(row >= 0 && {
        ArrowRight: at.nextElementSibling,
        ArrowLeft: at.previousElementSibling,
        Home: column[0],
        End: column.at(-1),
      }),
    }[event.key];
    if (next === undefined) return;
    (next as HTMLElement | null)?.focus();
    event.preventDefault();
  }
}

const shortUnit = (title: string) => title.replace("USD per ", "USD/").replace("count", "#");
