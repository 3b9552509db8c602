/** Example charts, as links. The page opens on the first one. Views with series that the catalog lacks are left out. */

import type { Catalog } from "../api/catalog.ts";
import type { ChartState } from "./chart-state.ts";
import { chartOf, FIRST_VIEW } from "./default-lines.ts";

const VIEWS: { title: string; search: string; words?: string }[] = [
  { title: "Market cap and realised cap", search: FIRST_VIEW },
  { title: "SOPR", search: "y=sopr:total&y=sopr:users&range=1y" },
  { title: "Supply by age", search: "y=supply:*age:share" },
  { title: "Supply by wealth", search: "y=supply:*value:share" },
  { title: "MVRV z-score and price", search: "y==mvrv_zscore&price=log" },
  {
    title: "Cost basis and price",
    search: "y=price&heat=cost_basis",
    words: "cost basis distribution urpd realised price distribution heatmap heat map",
  },
  {
    title: "Cost basis bands",
    search: "y=cost_basis_p50:*percentile:lines&y=price&scale=log",
    words: "percentiles median quantiles supply in profit",
  },
  { title: "Exchange netflow", search: "y==netflow&smooth=7&range=1y" },
  { title: "Supply in profit by age", search: "y=supply_profit:*age:stack" },
  { title: "Exchange reserves", search: "y=cex_reserve:*exchange:stack" },
  { title: "Exchange flows", search: "y=cex_inflow&y=cex_outflow&y=cex_reserve_dollar&range=1y" },
  { title: "Holders by wealth", search: "y=num_addresses:*value:lines&scale=log" },
  {
    title: "Supply by month of purchase",
    search: "y=price&scale=log&heat=acquired",
    words: "retention heatmap heat map acquired vintage",
  },
  {
    title: "This drawdown and earlier ones",
    search: "y=price&scale=log&study=cycles:high",
    words: "cycles all-time high ath compared overlaid",
  },
  { title: "Price by month", search: "y=price&study=seasons:month:change", words: "seasonality monthly returns" },
  { title: "Volume and transfers", search: "y=volume_dollar&y=num_transfers&range=90d" },
];

interface View {
  title: string;
  /** Other words for it. */
  words: string;
  chart: ChartState;
}

export const viewsOf = (catalog: Catalog, asset: string): View[] =>
  VIEWS.flatMap(({ title, search, words = "" }) => {
    const chart = chartOf(search, catalog);
    return chart ? [{ title, words, chart: { ...chart, asset } }] : [];
  });
