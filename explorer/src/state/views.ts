/** Example charts. The page opens on the first one. Views with series that the catalog lacks are left out. */

import { type Catalog, findMetric } from "../api/catalog.ts";
import { seriesChoice } from "./changes.ts";
import { type ChartState, normalise, type Range, type SeriesChoice } from "./chart-state.ts";

interface View {
  title: string;
  series: SeriesChoice[];
  scale?: ChartState["scale"];
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
    // The ages below a year: a chart shows six series, and there are eleven ages.
    title: "Supply in profit, under 1 year",
    series: ["<1d", "1d-1w", "1w-1m", "1m-3m", "3m-6m", "6m-1y"].map((selector) => ({
      metric: "supply_profit",
      selector,
    })),
  },
  {
    title: "Exchange flows",
    series: [
      { metric: "cex_inflow", selector: "all" },
      { metric: "cex_outflow", selector: "all" },
      { metric: "cex_reserve_dollar", selector: "all" },
    ],
    range: { preset: "1y" },
  },
  {
    // Six of the seven value ranges: all but the lowest.
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

/** The example charts for an asset. */
export function viewsOf(catalog: Catalog, asset: string): { title: string; chart: ChartState }[] {
  return VIEWS.filter(({ series }) => series.every((choice) => exists(choice, catalog))).map(
    ({ title, series, scale = "linear", range = { preset: "all" } }) => ({
      title,
      chart: normalise({ asset, series, resolution: "day", range, scale, zoom: null }, catalog),
    }),
  );
}

/** The series of a page whose address names none. */
export function defaultSeries(catalog: Catalog): SeriesChoice[] {
  const [view] = viewsOf(catalog, "");
  if (view) return view.chart.series;
  return catalog.metrics.slice(0, 1).map((metric) => seriesChoice(metric, null));
}

function exists({ metric, selector }: SeriesChoice, catalog: Catalog): boolean {
  const found = findMetric(catalog, metric);
  return found !== undefined && seriesChoice(found, selector).selector === selector;
}
