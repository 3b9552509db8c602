/** Example charts, as links. The page opens on the first one. Views with series that the catalog lacks are left out. */

import type { Catalog } from "../api/catalog.ts";
import type { Line } from "../lines/lines.ts";
import { parseAddress } from "./address.ts";
import { seriesLine } from "./changes.ts";
import type { ChartState } from "./chart-state.ts";

const VIEWS: { title: string; search: string }[] = [
  { title: "Market cap and realised cap", search: "y=market_cap&y=realised_cap" },
  { title: "SOPR", search: "y=sopr:total&y=sopr:users&range=1y" },
  {
    // The ages below a year: a chart shows six series, and there are eleven ages.
    title: "Supply in profit, under 1 year",
    search: ["<1d", "1d-1w", "1w-1m", "1m-3m", "3m-6m", "6m-1y"].map((age) => `y=supply_profit:${age}`).join("&"),
  },
  { title: "Exchange flows", search: "y=cex_inflow&y=cex_outflow&y=cex_reserve_dollar&range=1y" },
  {
    // Six of the seven value ranges: all but the lowest.
    title: "Holders of $100+",
    search: `${["$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M%2B"]
      .map((usd) => `y=num_addresses:${usd}`)
      .join("&")}&scale=log`,
  },
  { title: "Volume and transfers", search: "y=volume_dollar&y=num_transfers&range=90d" },
];

export function viewsOf(catalog: Catalog, asset: string): { title: string; chart: ChartState }[] {
  return VIEWS.flatMap(({ title, search }) => {
    const { chart, notes } = parseAddress(`?${search}`, catalog, []);
    return notes.length === 0 ? [{ title, chart: { ...chart, asset } }] : [];
  });
}

/** The lines of a page whose address names none. */
export function defaultLines(catalog: Catalog): Line[] {
  const [view] = viewsOf(catalog, "");
  return view?.chart.panes[0]?.lines ?? catalog.metrics.slice(0, 1).map((metric) => seriesLine(metric, null));
}
