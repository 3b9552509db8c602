/** The tables of what happened at a pin. They ask for what they show. */

import { chainPage } from "../../../../data-schema/chain.ts";
import { DAY_SECONDS } from "../../../../data-schema/text.ts";
import type { Asset, CatalogMetric, Resolution } from "../../api/catalog.ts";
import type { Ask } from "../../api/load.ts";
import { Problem } from "../../api/problem.ts";
import { queryValue } from "../../api/request.ts";
import { eventTime } from "../../data/events.ts";
import { type ChangingSeries, largestChanges, type RowChange } from "../../data/row-changes.ts";
import { changeCells } from "../../data/value-changes.ts";
import { selectorName } from "../../format/names.ts";
import { short } from "../../format/numbers.ts";
import { bucketLength, bucketTime, dateText, parseTime, shortTime } from "../../format/time.ts";
import { holdingsPath, shortAddress } from "../../search/find-address.ts";
import type { Page, Session } from "../../session.ts";
import { formatAddress } from "../../state/address.ts";
import { seriesLine } from "../../state/changes.ts";
import { PLAIN_LOOK } from "../../state/chart-state.ts";
import { h } from "../dom.ts";

/** Metrics of one request. */
const MOST_METRICS = 20;
/** Rows that a change is compared with, itself and the row before it included. */
const ROWS = 367;
const MOST_CHANGES = 12;
const MOST_TRANSFERS = 20;

/** The parts of an answer of GET /v3/series that are used. */
interface ServedSeries {
  t: number[];
  series: { metric: string; v: (number | null)[] }[];
}

/** A transfer of GET /v3/transfers/largest. Source: docs/api.md#largest-transfers. */
interface ServedTransfer {
  t: string;
  block: number;
  hash: string | null;
  from: string;
  from_group: string;
  from_label: string | null;
  to: string;
  to_group: string;
  to_label: string | null;
  tokens: number;
  dollars: number;
}

/** The bucket that a pin is in: a day or longer. */
export interface PinnedSpan {
  start: number;
  resolution: Resolution;
}

interface Shown {
  spans: readonly PinnedSpan[];
  span: PinnedSpan;
  /** Shows another of the spans. */
  choose(place: number): void;
  close(): void;
}

/** @returns the panel's elements, and whether some of them say why there is nothing to see */
export async function dayContents(
  session: Session,
  { spans, span, choose, close }: Shown,
  ask: Ask,
): Promise<{ contents: HTMLElement[]; hasFailed: boolean }> {
  const { page } = session;
  const asset = page.asset!;
  const [changes, transfers] = await Promise.all([askChanges(page, span, ask), askTransfers(asset, span, ask)]);
  const title = ({ start, resolution }: PinnedSpan) => bucketTime(start, resolution, page.zone);
  const choices = spans.map((one, place) =>
    h(
      "button",
      {
        type: "button",
        onclick: () => choose(place),
        "aria-pressed": String(one === span),
        "data-focus": `day-${place}`,
      },
      title(one),
    ),
  );
  const head = h(
    "div",
    { class: "card-head" },
    h("h2", {}, `What happened${spans.length > 1 ? "" : `: ${title(span)}`}`),
    spans.length > 1 && h("fieldset", { class: "segments", "aria-label": "Pin" }, ...choices),
    h("span", { class: "push" }),
    h("button", { type: "button", class: "remove", title: "Close", "aria-label": "Close", onclick: close }, "×"),
  );
  const tables = h(
    "div",
    { class: "day-tables" },
    h("section", {}, h("h3", {}, "Largest changes"), changesOf(changes, session, span)),
    h("section", {}, h("h3", {}, "Largest transfers"), transfersOf(transfers, page, span)),
  );
  return {
    contents: [head, ...eventsOfSpan(page, span), tables],
    hasFailed: changes instanceof Problem || transfers instanceof Problem,
  };
}

function eventsOfSpan({ events, chart, zone }: Page, { start, resolution }: PinnedSpan): HTMLElement[] {
  const end = start + bucketLength(start, resolution);
  const own = events.filter(({ asset, t }) => asset === chart.asset && t >= start && t < end);
  if (own.length === 0) return [];
  const items = own.map(({ t, title, link }) =>
    h(
      "li",
      {},
      h("span", { class: "moment" }, eventTime(t, zone)),
      " ",
      link === null ? title : h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, title),
    ),
  );
  return [h("ul", { class: "day-events", "aria-label": "Events" }, ...items)];
}

async function askChanges(
  { catalog, chart }: Page,
  { start, resolution }: PinnedSpan,
  ask: Ask,
): Promise<RowChange[] | Problem> {
  const metrics = catalog.metrics.filter(({ resolutions }) => resolutions.includes(resolution));
  const parts: CatalogMetric[][] = [];
  for (let at = 0; at < metrics.length; at += MOST_METRICS) parts.push(metrics.slice(at, at + MOST_METRICS));
  const answers = await Promise.all(
    parts.map((part) => {
      const names = part.map(({ name }) => name).join(",");
      const query = `a=${queryValue(chart.asset)}&m=${names}&r=${resolution}&u=${shortTime(start)}&last=${ROWS}&time=unix`;
      return ask<ServedSeries>(`/v3/series?${query}`);
    }),
  );
  const problem = answers.find((answer) => answer instanceof Problem);
  if (problem) return problem;
  const candidates = (answers as ServedSeries[]).flatMap(({ t, series }): ChangingSeries[] =>
    // Without this row, the last one is of another day.
    t.at(-1) !== start
      ? []
      : series.flatMap(({ metric: name, v: values }) => {
          const metric = metrics.find((one) => one.name === name);
          return metric ? { metric, values } : [];
        }),
  );
  return largestChanges(candidates, MOST_CHANGES);
}

function changesOf(changes: RowChange[] | Problem, session: Session, { resolution }: PinnedSpan): HTMLElement {
  if (changes instanceof Problem) return h("p", {}, `${changes.title}. ${changes.advice}`);
  if (changes.length === 0) return h("p", {}, `Too few ${resolution}s before it to compare with.`);
  const { chart } = session.page;
  const rows = changes.map(({ metric, value, before, isByPart, percentile }) => {
    const [difference, part] = changeCells([before, value], metric, isByPart);
    const alone = { ...chart, panes: [{ ...PLAIN_LOOK, lines: [seriesLine(metric, null)] }] };
    const search = formatAddress(alone);
    const visit = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      session.visit(search);
    };
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("a", { href: `/${search}`, onclick: visit }, metric.title)),
      h("td", {}, short(value, metric.unit)),
      h("td", {}, isByPart ? part.text : difference.text),
      h("td", {}, `${Math.floor(percentile * 100)}\u202f%`),
    );
  });
  const table = tableOf("Largest changes", ["Metric", "Value", "Change", "Percentile"], rows);
  const about = `Changes from the ${resolution} before. Percentile: on how many of up to 365 ${resolution}s before the change was smaller, whatever its direction.`;
  return h("div", {}, table, h("p", { class: "hint" }, about));
}

async function askTransfers(
  { symbol }: Asset,
  { start, resolution }: PinnedSpan,
  ask: Ask,
): Promise<ServedTransfer[] | Problem> {
  const last = start + bucketLength(start, resolution) - DAY_SECONDS;
  const path = `/v3/transfers/largest?a=${queryValue(symbol)}&s=${shortTime(start)}&u=${shortTime(last)}`;
  const answer = await ask<{ transfers: ServedTransfer[] }>(path);
  if (answer instanceof Problem) return answer;
  // The days of a week or a month come one after the other.
  return answer.transfers.toSorted((a, b) => b.dollars - a.dollars).slice(0, MOST_TRANSFERS);
}

function transfersOf(
  transfers: ServedTransfer[] | Problem,
  { chart, asset, zone }: Page,
  { start }: PinnedSpan,
): HTMLElement {
  if (transfers instanceof Problem) return h("p", {}, `${transfers.title}. ${transfers.advice}`);
  if (transfers.length === 0) return h("p", {}, "No transfers.");
  const rows = transfers.map((transfer) => {
    const { t, block, hash, tokens, dollars } = transfer;
    const page = hash === null ? chainPage(asset!.chain, "block", block) : chainPage(asset!.chain, "tx", hash);
    // The day is in the title, unless it is another one in the reader's zone.
    const time = bucketTime(parseTime(t), "block", zone).replace(`${dateText(start)}, `, "");
    const shown = page === null ? time : h("a", { href: page, target: "_blank", rel: "noopener noreferrer" }, time);
    return h(
      "tr",
      {},
      h("th", { scope: "row", class: "time" }, shown),
      h("td", {}, short(dollars, "usd")),
      h("td", {}, short(tokens, "token")),
      h("td", {}, ...sideOf(transfer.from, transfer.from_group, transfer.from_label, chart.asset)),
      h("td", {}, ...sideOf(transfer.to, transfer.to_group, transfer.to_label, chart.asset)),
    );
  });
  return tableOf("Largest transfers", ["Time", "USD", chart.asset, "From", "To"], rows);
}

/** The zero address is that of mints and burns. */
const NOBODY = `0x${"0".repeat(40)}`;

function sideOf(address: string, group: string, label: string | null, asset: string): (Node | string)[] {
  if (address === NOBODY) return ["0x0"];
  const known = label !== null ? selectorName(label, undefined) : group === "sc" ? "contract" : "";
  const link = h(
    "a",
    { href: `${holdingsPath(address)}?a=${queryValue(asset)}`, title: address },
    shortAddress(address),
  );
  return known === "" ? [link] : [link, " ", h("span", { class: "name" }, known)];
}

function tableOf(caption: string, titles: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  const heads = titles.map((text) => h("th", { scope: "col" }, text));
  return h(
    "section",
    { class: "day-table", tabindex: 0, "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...rows),
    ),
  );
}
