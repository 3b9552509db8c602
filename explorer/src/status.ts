/** The page `/status`: how fresh the data of each asset is, from GET /v3/status. */

import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import { getJson } from "./api/load.ts";
import { asProblem } from "./api/problem.ts";
import { queryValue } from "./api/request.ts";
import { spanText } from "./format/ages.ts";
import { dateText, parseTime } from "./format/time.ts";
import { connectAssetLink } from "./panels/chrome/asset-picker.ts";
import { connectThemeSwitch } from "./panels/chrome/theme-switch.ts";
import { fill, h, part } from "./panels/dom.ts";

interface Status {
  status: "ok" | "late" | "degraded";
  assets: AssetStatus[];
  unreadable?: string[];
}

interface AssetStatus {
  symbol: string;
  name: string;
  asOf: string;
  ageSeconds: number;
  freshness: "day" | "hour";
  mostAgeSeconds: number;
  isFresh: boolean;
  publications: { asOf: string; latencySeconds: number }[];
  checked?: { block: number; holders: number; of: number; since?: number };
  priceProof?: { block: number; since: string; pools: number; feeds: number };
  prices?: { gaps: { from: string; to: string }[]; moreGaps?: number };
}

const LOOK_AGAIN_MS = 60_000;

const root = document.body;
const state = part(root, "state");
const notice = part(root, "notice");
const table = part(root, "table");
connectAssetLink(root);
connectThemeSwitch(part<HTMLButtonElement>(root, "theme"));

const COLUMNS = ["Asset", "Data up to", "Age", "Target", "Published after", "Balances", "Prices", "Gaps in prices"];

const SENTENCES: Record<Status["status"], string> = {
  ok: "All assets are as fresh as they should be.",
  late: "Some assets are late.",
  degraded: "The data of some assets can’t be read.",
};

function render({ status, assets, unreadable = [] }: Status): void {
  const names = unreadable.length > 0 ? ` (${unreadable.join(", ")})` : "";
  state.textContent = SENTENCES[status] + names;
  state.className = `state ${status === "ok" ? "is-fresh" : "is-late"}`;
  const head = h("tr", {}, ...COLUMNS.map((title) => h("th", { scope: "col" }, title)));
  fill(table, h("table", {}, h("thead", {}, head), h("tbody", {}, ...assets.map(rowOf))));
}

function rowOf(asset: AssetStatus): HTMLElement {
  const { symbol, name, asOf, ageSeconds, freshness, mostAgeSeconds, isFresh, checked, priceProof, prices } = asset;
  const gaps = prices ? prices.gaps.length + (prices.moreGaps ?? 0) : null;
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `/?a=${queryValue(symbol)}` }, symbol),
      h("span", { class: "name" }, name),
    ),
    h("td", {}, timeText(parseTime(asOf))),
    h("td", { class: isFresh ? "is-fresh" : "is-late" }, `${spanText(ageSeconds)}${isFresh ? "" : ", late"}`),
    h("td", {}, freshness, detail(`at most ${spanText(mostAgeSeconds)}`)),
    latencyCell(asset.publications.map(({ latencySeconds }) => latencySeconds)),
    checked
      ? h("td", {}, `${counted(checked.holders)} of ${counted(checked.of)}`, detail(checkText(checked)))
      : none("not checked"),
    priceProof
      ? h(
          "td",
          {},
          `${priceProof.pools} pools, ${priceProof.feeds} feeds`,
          detail(`block ${counted(priceProof.block)}`),
        )
      : none(prices ? "not proven" : "none"),
    gaps === null ? none("none") : h("td", {}, String(gaps), ...gapTexts(prices!)),
  );
}

/** How long after its end data was out: the last time, and the median of the last ten. */
function latencyCell(latencies: readonly number[]): HTMLElement {
  const last = latencies.at(-1);
  if (last === undefined) return none("unknown");
  const median = latencies.toSorted((a, b) => a - b)[latencies.length >> 1]!;
  return h("td", {}, spanText(last), latencies.length > 1 && detail(`median ${spanText(median)}`));
}

const gapTexts = ({ gaps }: NonNullable<AssetStatus["prices"]>) =>
  gaps.slice(0, 1).map(({ from, to }) => detail(`${dateText(parseTime(from))} to ${dateText(parseTime(to))}`));

/** Hourly checks compare only what has changed. */
const checkText = ({ block, since }: NonNullable<AssetStatus["checked"]>) =>
  `${since === undefined ? "" : "that have moved, "}block ${counted(block)}`;

const detail = (text: string) => h("span", { class: "detail" }, text);
const none = (text: string) => h("td", { class: "missing" }, text);
const counted = (number: number) => number.toLocaleString("en-US");

/** `26 Nov 2026, 14:00 UTC`. */
const timeText = (seconds: number) => `${dateText(seconds)}, ${isoTimeWithoutZone(seconds).slice(11, 16)} UTC`;

async function load(): Promise<void> {
  try {
    render(await getJson<Status>("/v3/status"));
    notice.hidden = true;
  } catch (error) {
    // The last state stays, and says that it is not of the moment.
    const { title, advice } = asProblem(error);
    const again = h("button", { type: "button", onclick: () => void load() }, "Try again");
    fill(notice, `${title}. ${advice} `, again);
    notice.hidden = false;
  } finally {
    table.setAttribute("aria-busy", "false");
  }
}

setInterval(() => {
  if (!document.hidden) void load();
}, LOOK_AGAIN_MS);
void load();
