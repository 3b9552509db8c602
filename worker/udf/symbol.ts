/** What TradingView's UDF protocol is told of the service and of a symbol. Source: docs/api.md#udf. */

import type { MetricUnit } from "../../data-schema/registry.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import { tableOf } from "../read/table-of-query.ts";
import type { TableQuery } from "../request/table-query.ts";
import { outputUnit } from "../table/table-facts.ts";
import { resolutionOf, UDF_RESOLUTIONS } from "./query.ts";

/** GET /udf/config. */
export const CONFIG = {
  supported_resolutions: UDF_RESOLUTIONS,
  supports_search: true,
  supports_group_request: false,
  supports_marks: false,
  supports_timescale_marks: false,
  supports_time: true,
  exchanges: [],
  symbols_types: [],
};

/** The exchange of all symbols. */
export const EXCHANGE = "Soprano";
/** The type of all symbols: something that is computed, not traded. */
export const TYPE = "index";

/** How values are written: with so many parts of 1, or large ones shortened, as volumes are. */
const FORMATS: Record<MetricUnit, { format: "price" | "volume"; pricescale: number }> = {
  token: { format: "volume", pricescale: 100 },
  usd: { format: "volume", pricescale: 100 },
  usd_per_token: { format: "price", pricescale: 1_000_000 },
  ratio: { format: "price", pricescale: 10_000 },
  count: { format: "volume", pricescale: 1 },
  token_days: { format: "volume", pricescale: 100 },
  days: { format: "price", pricescale: 100 },
};

/** The symbol of a series. */
export const symbolOf = (asset: string, measure: string, selector: string): string => `${asset}:${measure}:${selector}`;

/** What a search shows of it. */
export const descriptionOf = (name: string, title: string, selector: string): string =>
  `${name} · ${title} · ${selector}`;

/**
 * GET /udf/symbols: the symbol that a query names, of its asset's build.
 *
 * @throws {Problem} 400 the build has no such series
 */
export function symbolInfo(query: TableQuery, manifest: Manifest) {
  const table = tableOf(query, [manifest], null);
  const { measure, selectors } = query.measures[0]!;
  const selector = selectors[0]!;
  const symbol = symbolOf(manifest.symbol, measure.name, selector);
  const published = UDF_RESOLUTIONS.filter((name) => {
    const resolution = resolutionOf(name);
    const { last = null } = manifest.resolutions[resolution] ?? {};
    return last !== null && measure.resolutions.includes(resolution);
  });
  const [output] = table.outputs;
  return {
    name: symbol,
    ticker: symbol,
    description: descriptionOf(manifest.name, measure.title, selector),
    type: TYPE,
    exchange: EXCHANGE,
    listed_exchange: EXCHANGE,
    session: "24x7",
    timezone: "Etc/UTC",
    minmov: 1,
    minmov2: 0,
    ...FORMATS[outputUnit(output!)],
    has_intraday: published.includes("60"),
    intraday_multipliers: published.includes("60") ? ["60"] : [],
    has_daily: true,
    has_weekly_and_monthly: published.includes("1W"),
    supported_resolutions: published,
    has_no_volume: true,
    visible_plots_set: "c",
    data_status: "endofday",
  };
}
