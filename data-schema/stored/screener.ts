/**
 * What the screener says of each asset: its columns, and the short form that the builder keeps with the active manifest.
 * Source: docs/formats.md#the-screener.
 */

import * as v from "valibot";
import type { FormulaUnit } from "../formula/units.ts";

export interface ScreenerColumn {
  name: string;
  title: string;
  /** In the language of docs/formulas.md. */
  formula: string;
  unit: FormulaUnit;
  /** Whether changes are fractions of the earlier value, and not differences. */
  isFraction: boolean;
}

const column = (
  name: string,
  title: string,
  unit: FormulaUnit,
  formula = name,
  isFraction = false,
): ScreenerColumn => ({ name, title, formula, unit, isFraction });

export const SCREENER_COLUMNS: readonly ScreenerColumn[] = [
  column("price", "Price", "usd_per_token", "price", true),
  column("market_cap", "Market capitalisation", "usd", "market_cap", true),
  column("mvrv", "MVRV", "ratio"),
  column("nupl", "NUPL", "ratio"),
  column("share_in_profit", "Share of supply in profit", "share"),
  column("sopr_7d", "SOPR, 7 days", "ratio", "smooth(sopr, 7)"),
  column("net_realised_profit_7d", "Net realised profit, 7 days", "usd", "sum(net_realised_profit, 7)"),
  column("netflow_dollar_7d", "Netflow to exchanges, 7 days", "usd", "sum(netflow_dollar, 7)"),
  column("active_addresses", "Active addresses", "count"),
  column("share_lth", "Share of long-term holders", "share", "supply:lth / supply"),
  column("exchange_share", "Share on exchanges", "share"),
  column("share_top_100", "Share of the largest hundred", "share", "supply_top_100 / supply"),
];

/** What a column says: the value, its changes over so many days, and the share of the last year's days on which it was at most as high. */
export const SCREENER_FIELDS = ["v", "1d", "7d", "30d", "pct"] as const;
export type ScreenerField = (typeof SCREENER_FIELDS)[number];

/** Days before, of each change. */
export const CHANGE_DAYS: Record<Exclude<ScreenerField, "v" | "pct">, number> = { "1d": 1, "7d": 7, "30d": 30 };
/** Days that a value is compared with. */
export const PERCENTILE_DAYS = 365;
/** Closes of a sparkline. */
export const SPARKLINE_CLOSES = 30;

const number = v.nullable(v.pipe(v.number(), v.finite()));
const fields = v.tuple([number, number, number, number, number]);

const screenerSchema = v.strictObject({
  /** Start of the day, Unix seconds. */
  t: v.pipe(v.number(), v.integer()),
  /** By the name of the column, the fields in their order; null is missing. */
  columns: v.record(v.string(), fields),
  /** The prices of the last days, ascending; null is missing. */
  closes: v.pipe(v.array(number), v.maxLength(SPARKLINE_CLOSES)),
});

export type Screener = v.InferOutput<typeof screenerSchema>;

/** What stands for a screener that does not fit into the metadata: the name of its object. */
const elsewhereSchema = v.strictObject({ object: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)) });

/** Reads the custom metadata `screener`; undefined if there is none, or if another version wrote it. */
export function parseScreener(text: string | undefined): Screener | { object: string } | undefined {
  const schema = v.pipe(v.string(), v.parseJson(), v.union([screenerSchema, elsewhereSchema]));
  const result = v.safeParse(schema, text);
  return result.success ? result.output : undefined;
}
