/** What was bought around the price, as bars: in, at and out of the money, and how far it is to half of the supply. */

import type { Ask } from "../../api/load.ts";
import { Problem } from "../../api/problem.ts";
import {
  type Cluster,
  clustersOf,
  halfwayText,
  type MoneySide,
  type ServedAround,
  sharesOf,
} from "../../data/clusters.ts";
import { compact, full, short } from "../../format/numbers.ts";
import { bucketTime } from "../../format/time.ts";
import type { Page, Session } from "../../session.ts";
import { aroundRequest, medianRequest } from "../../state/requests.ts";
import { fill, h, part, swatch } from "../dom.ts";

/** The part of an answer of GET /v3/series that is used. */
interface ServedMedian {
  series: { v: (number | null)[] }[];
}

const SIDES: Record<MoneySide, { title: string; color: string }> = {
  out: { title: "Out of the money", color: "--series-2" },
  at: { title: "At the price", color: "--ink" },
  in: { title: "In the money", color: "--good" },
};

export function connectAround(root: HTMLElement, session: Session, ask: Ask): void {
  const element = part(root, "around");
  /** What is shown: an answer for what was shown before is left. */
  let shown = "";
  session.watch(["data", "panes", "range"], (page) => {
    const path = aroundRequest(page.chart, page.asset);
    element.hidden = path === null;
    if (path === null) {
      shown = "";
      element.setAttribute("aria-busy", "false");
      return fill(element);
    }
    if (page.data.status !== "loaded") return;
    const wanted = `${path} ${page.zone}`;
    if (wanted === shown) return;
    shown = wanted;
    element.setAttribute("aria-busy", "true");
    const median = medianRequest(page.chart, page.asset);
    void Promise.all([ask<ServedAround>(path), ask<ServedMedian>(median!)]).then(([around, half]) => {
      if (shown !== wanted) return;
      // What failed is asked for again the next time.
      if (around instanceof Problem) shown = "";
      element.setAttribute("aria-busy", "false");
      render(element, page, around, half instanceof Problem ? undefined : (half.series[0]?.v.at(-1) ?? undefined));
    });
  });
}

/** @param median undefined in builds that lack it */
function render(element: HTMLElement, page: Page, around: ServedAround | Problem, median: number | undefined): void {
  if (around instanceof Problem) {
    fill(element, h("p", {}, `Around the price: ${around.title}. ${around.advice}`));
    return;
  }
  const time = around.t.at(-1);
  if (time === undefined) {
    fill(element, h("p", {}, "Around the price: a day has this once it is over."));
    return;
  }
  const price = around.price.at(-1)!;
  const clusters = clustersOf(around);
  const shares = sharesOf(clusters);
  const legend = (["in", "at", "out"] as const).map((side) =>
    h("li", {}, swatch(SIDES[side].color), `${SIDES[side].title} `, h("strong", {}, compact(shares[side], "share"))),
  );
  const close = `At the close of ${bucketTime(time, "day", page.zone)}, ${page.chart.asset} cost ${compact(price, "usd_per_token", 4)}. `;
  fill(
    element,
    h("p", {}, close, median !== undefined && h("strong", {}, halfwayText(price, median))),
    h("ul", { class: "sides", "aria-label": "Shares of the supply" }, ...legend),
    tableOf(clusters, page.chart.asset),
  );
}

function tableOf(clusters: readonly Cluster[], asset: string): HTMLElement {
  const inner = clusters.filter(({ isOuter }) => !isOuter);
  const most = (of: "tokens" | "addresses") => Math.max(0, ...inner.map((cluster) => cluster[of])) || 1;
  const [mostTokens, mostAddresses] = [most("tokens"), most("addresses")];
  const rows = clusters.map((cluster) => {
    const { side, isOuter, tokens, addresses } = cluster;
    const bars = [tokens / mostTokens, addresses / mostAddresses].map((size) => barOf(size, SIDES[side].color));
    return h(
      "tr",
      { class: `${side}${isOuter ? " outer" : ""}`, title: SIDES[side].title },
      h("th", { scope: "row" }, rangeText(cluster), h("span", { class: "visually-hidden" }, `, ${SIDES[side].title}`)),
      // All that is cheaper, or dearer, is as much as many bars.
      h("td", { class: "bars", "aria-hidden": "true" }, ...(isOuter ? [] : bars)),
      h("td", {}, full(tokens, "token")),
      h("td", {}, full(addresses, "count")),
    );
  });
  const head = ["Bought at", asset, "Addresses"].map((text) => h("th", { scope: "col" }, text));
  head.splice(1, 0, h("td") as HTMLTableCellElement);
  return h(
    "table",
    {},
    h("caption", { class: "visually-hidden" }, "Around the price: tokens and addresses by average purchase price"),
    h("thead", {}, h("tr", {}, ...head)),
    h("tbody", {}, ...rows),
  );
}

function barOf(size: number, color: string): HTMLElement {
  const bar = h("i");
  bar.style.width = `${100 * size}%`;
  bar.style.background = `var(${color})`;
  return bar;
}

function rangeText({ from, to, isOuter, side }: Cluster): string {
  const edge = (cost: number) => short(cost, "usd_per_token");
  if (isOuter) return side === "in" ? `below ${edge(to ?? 0)}` : `${edge(from ?? 0)} and above`;
  if (from === to) return "free";
  if (from === null) return `below ${edge(to!)}`;
  return to === null ? `${edge(from)} and above` : `${edge(from)}–${edge(to)}`;
}
