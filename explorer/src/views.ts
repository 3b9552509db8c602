/** Charts to start from. The first one that the catalog has opens the page. */

import type { Catalog } from "./catalog.ts";
import { type Choice, type Range, type State, settle } from "./state.ts";

interface View {
  title: string;
  series: Choice[];
  scale?: State["scale"];
  range?: Range;
}

const VIEWS: View[] = [
  {
    title: "Market cap and realised cap",
    series: [
      { metric: "market_cap", selector: "total" },
      { metric: "realised_cap", selector: "total" },
    ],
  },
  {
    title: "SOPR",
    series: [
      { metric: "sopr", selector: "total" },
      { metric: "sopr", selector: "users" },
    ],
    range: { preset: "1y" },
    scale: "log",
  },
  {
    // All ages below a year: a chart has room for six, and there are eleven.
    title: "Supply in profit, under 1 year",
    series: ["<1d", "1d-1w", "1w-1m", "1m-3m", "3m-6m", "6m-1y"].map((selector) => ({
      metric: "supply_profit",
      selector,
    })),
  },
  {
    title: "To and from exchanges",
    series: [
      { metric: "cex_inflow", selector: "all" },
      { metric: "cex_outflow", selector: "all" },
      { metric: "cex_reserve_dollar", selector: "all" },
    ],
    range: { preset: "1y" },
  },
  {
    // All value ranges but the first, of which there are seven.
    title: "Holders of $100+",
    series: ["$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M+"].map((selector) => ({
      metric: "num_addresses",
      selector,
    })),
    scale: "log",
  },
  {
    title: "Volume and transfers",
    series: [
      { metric: "volume_dollar", selector: "total" },
      { metric: "num_transfers", selector: "all" },
    ],
    range: { preset: "90d" },
  },
];

/** The views whose series the catalog has, as states of the asset. */
export function viewsOf(catalog: Catalog, asset: string): { title: string; state: State }[] {
  return VIEWS.filter(({ series }) => series.every((choice) => isThere(choice, catalog))).map(
    ({ title, series, scale = "linear", range = { preset: "all" } }) => ({
      title,
      state: settle({ asset, series, resolution: "day", range, scale, zoom: null }, catalog),
    }),
  );
}

/** What an address without series opens on. */
export function openingSeries(catalog: Catalog): Choice[] {
  const [first] = viewsOf(catalog, "");
  if (first) return first.state.series;
  const [metric] = catalog.metrics;
  return metric ? [{ metric: metric.name, selector: metric.selector?.default ?? null }] : [];
}

function isThere({ metric, selector }: Choice, catalog: Catalog): boolean {
  const found = catalog.metrics.find(({ name }) => name === metric);
  if (!found) return false;
  return selector === null ? found.selector === null : (found.selector?.values.includes(selector) ?? false);
}
