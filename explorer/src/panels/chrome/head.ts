/** What the page is about: the asset, example charts, and the title, description and formula of each metric. */

import { type Division, familyWord } from "../../../../data-schema/registry.ts";
import { type CatalogMetric, signsOf } from "../../api/catalog.ts";
import { headlineOf } from "../../data/headline.ts";
import { headlineText } from "../../data/headline-text.ts";
import { changesByPart } from "../../data/value-changes.ts";
import { ageOf } from "../../format/ages.ts";
import { divisionsOf, familyLine } from "../../lines/family-line.ts";
import { namedOf } from "../../lines/formula-line.ts";
import type { Page, Session } from "../../session.ts";
import { formatAddress } from "../../state/address.ts";
import { setAsset } from "../../state/changes.ts";
import { type ChartState, normalise, PLAIN_LOOK } from "../../state/chart-state.ts";
import { chartTitle } from "../../state/chart-title.ts";
import { viewsOf } from "../../state/views.ts";
import { fill, h, part } from "../dom.ts";
import { connectAssetPicker } from "./asset-picker.ts";

/** Pixels between a view and the faded edge of their list. */
const VIEW_MARGIN = 32;

export function connectHead(root: HTMLElement, session: Session): void {
  const { assets } = session.page.catalog;
  const picker = connectAssetPicker(
    root,
    () => assets,
    (symbol) => session.change((chart) => setAsset(chart, symbol)),
  );
  const asOf = part(root, "as-of");
  const showAsset = () => {
    const { chart, asset } = session.page;
    picker.show(asset ?? { symbol: chart.asset, name: chart.asset });
    part(root, "made-from").textContent = asset?.name ?? "the token";
    const age = asset && ageOf(asset);
    asOf.textContent = asOf.title = age?.text ?? "";
    asOf.style.color = age?.isStale ? "var(--bad)" : "";
  };
  session.watch(["asset"], showAsset);
  setInterval(showAsset, 60_000);
  session.watch(["asset", "traces"], (page) => renderMetrics(root, page, session));
  session.watch(["overview"], (page) => renderHeadline(part(root, "headline"), page));
  session.watch(["panes", "resolution", "range"], (page) => renderViews(root, page, session));
}

function renderMetrics(root: HTMLElement, { chart, traces, catalog, asset }: Page, session: Session): void {
  const own = traces.filter(({ line }) => line !== null);
  const metrics = [...new Set(own.flatMap((trace) => trace.metrics))];
  const formulas = chart.panes.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === "formula" ? line : [])));
  const title = chartTitle(chart, traces);
  const signs = signsOf(
    metrics.map((metric) => metric.formula),
    catalog,
  ).map(({ sign, meaning }) => h("div", {}, h("dt", {}, code(sign)), h("dd", {}, meaning)));
  const computed = formulas.map(({ text }) => {
    const named = namedOf(text, catalog)?.named;
    if (!named) return h("p", {}, code(text));
    return h("p", {}, h("strong", {}, `${named.title}. `), named.description, " ", code(named.text));
  });
  const about = metrics.map((metric) => {
    const name = metrics.length + formulas.length > 1 && h("strong", {}, `${metric.title}. `);
    const definition = h("a", { href: `/methodology#${metric.name}` }, "How it is computed");
    const families = divisionsOf(metric, asset).map((division) => familyLink(metric, division, chart, session));
    const whole = families.length > 0 && h("span", { class: "families" }, "Whole family: ", ...families);
    return h("p", {}, name, metric.description, " ", code(metric.formula), " ", definition, whole);
  });
  part(root, "title").textContent = title;
  document.title = `${chart.asset} ${title} · Soprano`;
  fill(part(root, "about"), ...computed, ...about, signs.length > 0 && h("dl", { class: "signs" }, ...signs));
}

/** Where the first line stands today, by day. A family has no one value. */
function renderHeadline(element: HTMLElement, { chart, traces, overview }: Page): void {
  const first = traces.find(({ pane, line }) => pane === 0 && line === 0);
  const [values] = overview.table.columns;
  // Until there is a new one, that of the chart before stays, dimmed as that is.
  element.classList.toggle("loading", overview.status === "loading");
  if (overview.status === "loading") return;
  const isOne = first !== undefined && chart.panes[0]!.lines[0]!.kind !== "family";
  const headline = isOne && values ? headlineOf(overview.table.t, values, changesByPart(first, values)) : null;
  const name = traces.length > 1 ? `${first?.name}: ` : "";
  element.textContent = headline ? name + headlineText(headline, first!.unit) : "\u00a0";
}

/** A link to the picture of all parts of a metric. */
function familyLink(metric: CatalogMetric, division: Division, chart: ChartState, session: Session): HTMLElement {
  const line = familyLine(metric, division, null);
  const picture = normalise({ ...chart, panes: [{ ...PLAIN_LOOK, lines: [line] }] }, session.page.catalog);
  return chartLink(`by ${familyWord(division.by)}`, picture, session);
}

const code = (text: string) => h("code", { class: "formula" }, text);

function renderViews(root: HTMLElement, { chart, catalog }: Page, session: Session): void {
  const current = formatAddress({ ...chart, zoom: null });
  const links = viewsOf(catalog, chart.asset).map((view) => {
    const link = chartLink(view.title, view.chart, session);
    if (link.getAttribute("href") === current) link.setAttribute("aria-current", "true");
    return link;
  });
  const list = part(root, "views");
  const { scrollLeft } = list;
  fill(list, ...links);
  const shown = links.findIndex((link) => link.hasAttribute("aria-current"));
  // The first one is in sight without being measured.
  if (scrollLeft > 0 || shown > 0) scrollSideways(list, scrollLeft, links[shown]);
}

/** Scrolls to where a list was, or as far from there as an item needs to be in sight. */
function scrollSideways(list: HTMLElement, from: number, item: HTMLElement | undefined): void {
  list.scrollLeft = from;
  if (!item) return;
  const [box, own] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  const [left, right] = [own.left - box.left, own.right - box.right].map((distance) => Math.round(distance));
  if (left! < VIEW_MARGIN) list.scrollLeft += left! - VIEW_MARGIN;
  else if (right! > -VIEW_MARGIN) list.scrollLeft += right! + VIEW_MARGIN;
}

/** A link that shows a chart. */
function chartLink(title: string, chart: ChartState, session: Session): HTMLAnchorElement {
  const onclick = (event: MouseEvent) => {
    // The browser opens another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    session.show(chart);
  };
  return h("a", { href: formatAddress(chart), onclick }, title);
}
