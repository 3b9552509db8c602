/** The list of metrics, by group or by search. The Tab key stops at it once; the arrow keys move through it. */

import { findAsset } from "../api/catalog.ts";
import { seriesName, unitTitle } from "../format/names.ts";
import { type Match, search } from "../search/search.ts";
import type { Page, Session } from "../session.ts";
import { addSeries, seriesChoice, showSeries, whyNotAdd } from "../state/changes.ts";
import { byId, fill, h } from "./dom.ts";

export class MetricList {
  readonly #session: Session;
  readonly #search = byId<HTMLInputElement>("search");
  readonly #list = byId("metric-list");
  readonly #toggle = byId<HTMLButtonElement>("open-metrics");

  constructor(session: Session) {
    this.#session = session;
    this.#search.disabled = false;
    this.#toggle.disabled = false;
    this.#search.addEventListener("input", () => this.#render());
    byId("metric-panel").addEventListener("keydown", (event) => this.#onKey(event));
    this.#list.addEventListener("focusin", ({ target }) => this.#setTabStop(target as HTMLElement));
    this.#toggle.addEventListener("click", () => this.#open(this.#toggle.getAttribute("aria-expanded") === "false"));
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.#open(true);
      this.#search.focus();
    });
    session.watch(
      ({ chart, series }) => [chart.asset, series],
      () => this.#render(),
    );
    this.#scrollToShown();
  }

  /** Scrolls the shown metric's group to the top, as far as the metric stays visible. */
  #scrollToShown(): void {
    const shown = this.#list.querySelector<HTMLElement>(".shown");
    if (!shown) return;
    const end = shown.offsetTop + shown.offsetHeight - this.#list.clientHeight;
    this.#list.scrollTop = Math.max(shown.closest("section")!.offsetTop, end) - this.#list.offsetTop;
  }

  /** On a narrow page the list is collapsed until it is opened. */
  #open(isOpen: boolean): void {
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#scrollToShown();
  }

  #setTabStop(button: HTMLElement | null): void {
    for (const old of this.#list.querySelectorAll<HTMLElement>("[tabindex='0']")) old.tabIndex = -1;
    if (button) button.tabIndex = 0;
  }

  #render(): void {
    const { page } = this.#session;
    const words = this.#search.value.trim();
    fill(this.#list, ...(words === "" ? this.#groups(page) : this.#results(words, page)));
    const inList = (selector: string) => this.#list.querySelector<HTMLElement>(selector);
    this.#setTabStop(inList(":focus") ?? inList(".shown .show") ?? inList(".show"));
  }

  #groups(page: Page): (HTMLElement | false)[] {
    const { groups, metrics } = page.catalog;
    return groups.map(({ name, title }) => {
      const members = metrics.filter(({ group }) => group === name).map((metric) => ({ metric, selector: null }));
      return members.length > 0 && this.#section(name, title, "", members, page);
    });
  }

  #results(words: string, page: Page): HTMLElement[] {
    const { matches, note } = search(page.catalog, words);
    if (matches.length === 0) return [h("p", { class: "nothing", role: "status" }, `No metrics match “${words}”.`)];
    const title = matches.length === 1 ? "1 metric" : `${matches.length} metrics`;
    return [this.#section("found", title, note, matches, page)];
  }

  #section(name: string, title: string, note: string, matches: Match[], page: Page): HTMLElement {
    return h(
      "section",
      { "aria-labelledby": `group-${name}` },
      h("h2", { id: `group-${name}` }, title),
      note !== "" && h("p", { class: "note", role: "status" }, note),
      h("ul", {}, ...matches.map((match) => this.#item(match, page))),
    );
  }

  #item({ metric, selector }: Match, { chart, catalog }: Page): HTMLElement {
    const asset = findAsset(catalog, chart.asset);
    const choice = seriesChoice(metric, selector ?? chart.series[0]?.selector);
    const title = seriesName(metric, selector, asset);
    const isShown = chart.series.some(
      (shown) => shown.metric === metric.name && (selector === null || shown.selector === selector),
    );
    const why = isShown
      ? "Already in the chart. To compare cohorts, use the menu above the chart."
      : whyNotAdd(chart, choice, catalog);
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
            this.#session.show(showSeries(this.#session.page.chart, choice, catalog));
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
          title: why ?? "Add to the chart",
          "aria-disabled": why ? "true" : undefined,
          "data-focus": `add-${metric.name}`,
          onclick: () => {
            if (why) return;
            this.#open(false);
            this.#session.show(addSeries(this.#session.page.chart, choice, catalog));
          },
        },
        "+",
      ),
    );
  }

  /** Up and down move between metrics, left and right between showing and comparing. The search is above the first. */
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
    const current = document.activeElement!;
    const column = [...this.#list.querySelectorAll<HTMLElement>(current.matches(".add") ? ".add" : ".show")];
    const row = column.indexOf(current as HTMLElement);
    const next = {
      ArrowDown: column[row + 1],
      ArrowUp: column[row - 1] ?? this.#search,
      ...(row >= 0 && {
        ArrowRight: current.nextElementSibling,
        ArrowLeft: current.previousElementSibling,
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
