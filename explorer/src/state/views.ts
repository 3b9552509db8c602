/** Example charts. The page opens on the first one. Views with series that the catalog lacks are left out. */

import type { Catalog } from "../api/catalog.ts";
import { parseSeries } from "./address.ts";
import { seriesChoice } from "./changes.ts";
import { type ChartState, normalise, type Preset, type SeriesChoice } from "./chart-state.ts";

interface View {
  title: string;
  /** As in the page's address. */
  series: string[];
  preset?: Preset;
  scale?: ChartState["scale"];
}

const VIEWS: View[] = [
  { title: "Market cap and realised cap", series: ["market_cap:total", "realised_cap:total"] },
  { title: "SOPR", series: ["sopr:total", "sopr:users"], preset: "1y", scale: "log" },
  {
    // The ages below a year: a chart shows six series, and there are eleven ages.
    title: "Supply in profit, under 1 year",
    series: ["<1d", "1d-1w", "1w-1m", "1m-3m", "3m-6m", "6m-1y"].map((age) => `supply_profit:${age}`),
  },
  { title: "Exchange flows", series: ["cex_inflow:all", "cex_outflow:all", "cex_reserve_dollar:all"], preset: "1y" },
  {
    // Six of the seven value ranges: all but the lowest.
    title: "Holders of $100+",
    series: ["$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M+"].map((usd) => `num_addresses:${usd}`),
    scale: "log",
  },
  { title: "Volume and transfers", series: ["volume_dollar:total", "num_transfers:all"], preset: "90d" },
];

export function viewsOf(catalog: Catalog, asset: string): { title: string; chart: ChartState }[] {
  return VIEWS.flatMap(({ title, series: names, preset = "all", scale = "linear" }) => {
    const series = names.flatMap((name) => parseSeries(name, catalog) ?? []);
    if (series.length < names.length) return [];
    const chart: ChartState = { asset, series, resolution: "day", range: { preset }, scale, zoom: null };
    return [{ title, chart: normalise(chart, catalog) }];
  });
}

/** The series of a page whose address names none. */
export function defaultSeries(catalog: Catalog): SeriesChoice[] {
  const [view] = viewsOf(catalog, "");
  return view?.chart.series ?? catalog.metrics.slice(0, 1).map((metric) => seriesChoice(metric, null));
}
