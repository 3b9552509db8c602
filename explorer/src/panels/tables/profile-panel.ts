/** The distribution of each heatmap at the pinned days: bars by price or by month, with the part in profit in another colour. */

import { DISTRIBUTIONS, type DistributionName } from "../../../../data-schema/registry.ts";
import type { Ask } from "../../api/load.ts";
import { Problem } from "../../api/problem.ts";
import { DISTRIBUTION_STEPS, type HeatBucket, type ServedDistribution } from "../../data/heat.ts";
import { type ProfileRow, profileOf } from "../../data/profile.ts";
import { changeCells } from "../../data/value-changes.ts";
import { compact, full } from "../../format/numbers.ts";
import { bucketTime, monthText } from "../../format/time.ts";
import type { Page } from "../../session.ts";
import { dayRequest } from "../../state/requests.ts";
import { fill, h } from "../dom.ts";
import { type PinOrder, rowAt, sortedTable } from "./pin-table.ts";

export class ProfilePanel {
  readonly #ask: Ask;
  /** By distribution. */
  readonly #orders = new Map<DistributionName, PinOrder | null>();
  /** What is shown: an answer for what was shown before is left. */
  #shown = "";
  #elements: HTMLElement[] = [];
  /** Whether an answer failed, which is asked for again the next time. */
  #hasFailed = false;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** An element for each heatmap, which is filled as soon as its days are there. */
  show(page: Page, pins: readonly number[]): HTMLElement[] {
    const shown = JSON.stringify([page.chart.asset, page.chart.panes.map(({ heat }) => heat), pins]);
    if (shown === this.#shown && !this.#hasFailed) return this.#elements;
    this.#shown = shown;
    this.#hasFailed = false;
    this.#elements = page.chart.panes.flatMap(({ heat }, pane) => {
      if (heat === null) return [];
      const element = h("div", { class: "profile", "aria-busy": "true" });
      const asking = Promise.all(
        pins.map((time) => this.#ask<ServedDistribution>(dayRequest(heat, page.chart.asset, time))),
      );
      void asking.then((days) => {
        if (this.#shown !== shown) return;
        this.#hasFailed ||= days.some((day) => day instanceof Problem);
        element.setAttribute("aria-busy", "false");
        this.#render(element, heat, pane, page, pins, days);
      });
      return [element];
    });
    return this.#elements;
  }

  #render(
    element: HTMLElement,
    heat: DistributionName,
    pane: number,
    page: Page,
    pins: readonly number[],
    days: readonly (ServedDistribution | Problem)[],
  ): void {
    const problem = days.find((one) => one instanceof Problem);
    if (problem) {
      fill(element, h("p", {}, `${DISTRIBUTIONS[heat].title}: ${problem.title}. ${problem.advice}`));
      return;
    }
    if ((days as ServedDistribution[]).some(({ t }) => t.length === 0)) {
      fill(element, h("p", {}, `${DISTRIBUTIONS[heat].title}: a day has one once it is over.`));
      return;
    }
    const { rows, free } = profileOf(days as ServedDistribution[], DISTRIBUTION_STEPS[DISTRIBUTIONS[heat].key]);
    const prices = heat === "cost_basis" ? pricesAt(page, pane, pins) : [];
    const most = Math.max(...rows.flatMap(({ tokens }) => tokens));
    const times = pins.map((time) => bucketTime(time, "day", page.zone));
    const order = this.#orders.get(heat) ?? null;
    const sort = (next: PinOrder | null) => {
      this.#orders.set(heat, next);
      this.#render(element, heat, pane, page, pins, days);
    };
    const table = sortedTable(
      DISTRIBUTIONS[heat].title,
      [...times, ...(pins.length > 1 ? ["Change", "%"] : [])],
      rows.map((row) => ({
        head: [rangeText(row, heat)],
        bars: row.tokens.map((tokens, i) => ({ part: tokens / most, color: colorOf(row, prices[i]) })),
        cells: [
          ...row.tokens.map((value) => ({ text: full(value, "token"), value })),
          ...(pins.length > 1 ? changeCells(row.tokens, { unit: "token" }, true) : []),
        ],
      })),
      { order, sort, isSortable: true },
    );
    fill(element, table, noteOf(free, prices, page.chart.asset));
  }
}

/** The prices at the pins, from the pane's first line of them. */
function pricesAt({ traces, data }: Page, pane: number, pins: readonly number[]): (number | undefined)[] {
  const trace = traces.findIndex(({ pane: own, metrics }) => own === pane && metrics[0]?.name === "price");
  return pins.map((time) => data.table.columns[trace]?.[rowAt(data.table, time) ?? -1]);
}

/** In profit is what was bought below the price. */
function colorOf({ from, to }: HeatBucket, price: number | undefined): string {
  if (price === undefined) return "--accent";
  return Math.sqrt(from * to) < price ? "--good" : "--series-2";
}

function rangeText({ from, to, isOpen }: ProfileRow, heat: DistributionName): string {
  const isTime = DISTRIBUTIONS[heat].key === "time";
  const [first, last] = isTime ? [monthText(from), monthText(to - 1)] : [compact(from, "usd"), compact(to, "usd")];
  if (isOpen.below && isOpen.above) return "all";
  if (isOpen.below) return isTime ? `until ${last}` : `< ${last}`;
  if (isOpen.above) return isTime ? `since ${first}` : `≥ ${first}`;
  return first === last ? first : `${first}–${last}`;
}

function noteOf(free: readonly number[], prices: readonly (number | undefined)[], asset: string): HTMLElement | false {
  const texts: string[] = [];
  if (prices.some((price) => price !== undefined)) {
    texts.push("Green: bought below the price of that day, in profit; orange: above, in loss.");
  }
  const most = Math.max(0, ...free);
  if (most > 0) texts.push(`Free tokens, up to ${compact(most, "token")} ${asset}, are in no row.`);
  return texts.length > 0 && h("p", {}, texts.join(" "));
}
