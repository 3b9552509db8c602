/** The page `/holders/<address>`: its row in every asset, and its rank by day. From GET /v3/holders/<address>. */

import { chainPage } from "../../../data-schema/chain.ts";
import type { Asset } from "../api/catalog.ts";
import { queryValue } from "../api/request.ts";
import { parseTime } from "../format/time.ts";
import { connectAssetLink } from "../panels/chrome/asset-picker.ts";
import { fill, h, part } from "../panels/dom.ts";
import { sparkElement } from "../panels/spark.ts";
import { shortAddress } from "../search/find-address.ts";
import type { HolderList, Holdings, LargeHolder } from "./answers.ts";
import { pointDays } from "./balances.ts";
import { assetColumns, copyButton, type DayRank, rankColumns } from "./columns.ts";
import { largestPath } from "./list-page.ts";
import { footnote, type Reader, type Show, showSentence } from "./reader.ts";
import { tableOf } from "./tables.ts";

/** Assets of one request. */
const MOST_ASSETS = 200;

/**
 * @param address in lower case
 * @returns what shows the page of the address bar
 */
export function connectAddress(root: HTMLElement, reader: Reader, address: string): Show {
  const table = part(root, "table");
  const ranks = part(root, "ranks");
  connectAssetLink(root);
  document.title = `${shortAddress(address)} · Soprano`;
  table.setAttribute("aria-label", "What the address holds of each asset");

  /** The last call: the answers to those before are left. */
  let newest = 0;
  const show: Show = async () => {
    const own = ++newest;
    table.setAttribute("aria-busy", "true");
    try {
      const assets = await reader.assets();
      const holdings = await holdingsOf(assets);
      if (own !== newest) return;
      renderTitle(assets, holdings);
      renderHoldings(assets, holdings);
      await showRanks(assets, holdings, () => own === newest);
    } catch (error) {
      if (own === newest) reader.tell(root, error, show);
    } finally {
      if (own === newest) table.setAttribute("aria-busy", "false");
    }
  };

  async function holdingsOf(assets: readonly Asset[]): Promise<Holdings> {
    const path = `/v3/holders/${address}`;
    if (assets.length <= MOST_ASSETS) return reader.ask<Holdings>(path);
    const parts: Holdings[] = [];
    for (let at = 0; at < assets.length; at += MOST_ASSETS) {
      const symbols = assets.slice(at, at + MOST_ASSETS).map(({ symbol }) => symbol);
      parts.push(await reader.ask<Holdings>(`${path}?a=${queryValue(symbols.join(","))}`));
    }
    return {
      address,
      holders: parts.flatMap(({ holders }) => holders),
      unavailable: parts.flatMap(({ unavailable = [] }) => unavailable),
    };
  }

  /** The address in full, and its pages in the explorers of the chains that it was seen on. */
  function renderTitle(assets: readonly Asset[], { holders }: Holdings): void {
    const held = assets.filter(({ symbol }) => holders.some(({ asset }) => asset === symbol));
    const chains = new Set((held.length > 0 ? held : assets).map(({ chain }) => chain));
    const pages = [...chains].flatMap((chain) => chainPage(chain, "address", address) ?? []);
    fill(part(root, "title"), h("span", { class: "address" }, address), copyButton(address));
    const links = pages.map((page) => h("a", { href: page, rel: "noreferrer", target: "_blank" }, new URL(page).host));
    fill(part(root, "count"), ...links.flatMap((link, i) => (i === 0 ? [link] : [" · ", link])));
  }

  function renderHoldings(assets: readonly Asset[], { holders, unavailable = [] }: Holdings): void {
    const older = `The builds of ${unavailable.join(", ")} are older than holders: their next ones have them.`;
    const others = unavailable.length > 0 ? older : "";
    const toList = h("a", { href: "/holders" }, "See who does");
    table.hidden = holders.length === 0;
    if (holders.length > 0) {
      showSentence(root, others);
      fill(table, tableOf(assetColumns, holders));
      fill(part(root, "footnote"), ...footnote(`/v3/holders/${address}`));
    } else {
      const all = assets.length === 1 ? assets[0]!.symbol : `any of the ${assets.length} assets here`;
      showSentence(root, `This address has never held ${all}. ${others}`.trim(), toList);
    }
  }

  /** Where it stood on days of the last year, in one asset: up to twelve requests. */
  async function showRanks(assets: readonly Asset[], { holders }: Holdings, isNewest: () => boolean): Promise<void> {
    const wanted = new URLSearchParams(location.search).get("a")?.toUpperCase();
    const held = holders.map(({ asset }) => asset);
    const asset = held.find((symbol) => symbol === wanted) ?? held[0];
    const range = assets.find(({ symbol }) => symbol === asset)?.ranges.day;
    ranks.hidden = asset === undefined || range === undefined;
    if (asset === undefined || range === undefined) return;
    const days = pointDays(parseTime(range.first), parseTime(range.last));
    const rows = await Promise.all(days.map((day) => rankAt(asset, day)));
    if (!isNewest()) return;
    const choose = h(
      "select",
      { "data-focus": "rank-asset", "aria-label": "Asset" },
      ...held.map((symbol) => h("option", { value: symbol, selected: symbol === asset }, symbol)),
    );
    choose.addEventListener("change", () => {
      history.pushState(null, "", `?a=${queryValue(choose.value)}`);
      void show();
    });
    const heights = rows.map(({ rank }) => (rank === null ? null : -rank)).reverse();
    const year = h("span", { class: "spark" }, sparkElement(heights, "The rank over a year, the first at the top"));
    const isListed = rows.some(({ rank }) => rank !== null);
    fill(
      ranks,
      h("div", { class: "screener-head" }, h("h2", { id: "ranks-title" }, "Rank by day"), choose, isListed && year),
      isListed
        ? h(
            "div",
            { class: "screener-table", tabindex: 0, role: "group", "aria-label": "Ranks" },
            tableOf(rankColumns, rows),
          )
        : h(
            "p",
            { class: "notice-line" },
            `It was not among the 1,000 largest of ${asset} on these ${rows.length} days.`,
          ),
    );
  }

  async function rankAt(asset: string, day: string): Promise<DayRank> {
    const { holders } = await reader.ask<HolderList<LargeHolder>>(largestPath(asset, day));
    const index = holders.findIndex((row) => row.address === address);
    return { day, rank: index < 0 ? null : index + 1, row: holders[index] ?? null };
  }

  return show;
}
