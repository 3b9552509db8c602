/** Names of units and series as the page shows them. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import { lotName, SELECTOR_NAMES } from "../../../data-schema/registry.ts";
import type { Asset, CatalogMetric } from "../api/catalog.ts";
import { compact } from "./numbers.ts";

/** The unit of an axis or a column. */
export function unitTitle(unit: FormulaUnit, asset: Asset | undefined): string {
  const token = asset?.symbol ?? "token";
  const titles: Record<FormulaUnit, string> = {
    token,
    usd: "USD",
    usd_per_token: `USD per ${token}`,
    ratio: "ratio",
    count: "count",
    token_days: `${token} · days`,
    days: "days",
    share: "share",
  };
  return titles[unit];
}

/** `ARIA · Aria`; an asset without a name of its own is its symbol. */
export const assetTitle = ({ symbol, name }: Pick<Asset, "symbol" | "name">): string =>
  symbol === name ? name : `${symbol} · ${name}`;

/** The display name of a cohort, exchange or sample. Balance cohorts are named by their edges. */
export function selectorName(value: string, asset: Asset | undefined): string {
  const ofLots = lotName(value);
  if (ofLots !== undefined) return ofLots;
  const balance = /^balance_cohort_(\d+)$/.exec(value);
  if (!balance) return SELECTOR_NAMES[value] ?? value;
  const index = Number(balance[1]);
  const edges = asset?.balanceEdges ?? [];
  if (!asset || edges.length === 0 || index > edges.length) return `Balance ${index}`;
  const edge = (at: number) => compact(Number(edges[at]), "token");
  if (index === 0) return `< ${edge(0)} ${asset.symbol}`;
  if (index === edges.length) return `≥ ${edge(index - 1)} ${asset.symbol}`;
  return `${edge(index - 1)} – ${edge(index)} ${asset.symbol}`;
}

/** The display name of a series: its metric and, if the metric has several series, its selector. */
export function seriesName(metric: CatalogMetric, selector: string | null, asset: Asset | undefined): string {
  return selector === null ? metric.title : `${metric.title}, ${selectorName(selector, asset)}`;
}

/** Joins titles into a phrase: `Market capitalisation and realised price`. Abbreviations keep their capitals. */
export function joinTitles(titles: readonly string[]): string {
  const inner = titles.map((title, i) =>
    i > 0 && /^[A-Z][a-z-]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title,
  );
  return inner.length < 3 ? inner.join(" and ") : `${inner.slice(0, -1).join(", ")} and ${inner.at(-1)}`;
}
