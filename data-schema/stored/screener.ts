/**
 * What the screener says of each asset: its columns, and the short form that the builder keeps with the active manifest.
 * Source: docs/formats.md#the-screener.
 */

import * as v from "valibot";
import type { FormulaUnit } from "../formula/units.ts";
import { DAY_SECONDS } from "../text/seconds.ts";

export interface ScreenerColumn {
  name: string;
  title: string;
  /** What it is, in one sentence. */
  description: string;
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
  description: string,
  formula = name,
  isFraction = false,
): ScreenerColumn => ({ name, title, description, formula, unit, isFraction });

/** What every asset has. Of own cohorts and lots, which operators choose, the explorer computes own columns. */
export const SCREENER_COLUMNS: readonly ScreenerColumn[] = [
  column("price", "Price", "usd_per_token", "Dollars per token at the close of the day.", "price", true),
  column("market_cap", "Market capitalisation", "usd", "The supply at the price of the close.", "market_cap", true),
  column("mvrv", "MVRV", "ratio", "Market capitalisation by realised cap: above 1, holders are in profit together."),
  column("nupl", "NUPL", "ratio", "Net unrealised profit and loss, as a part of the market capitalisation."),
  column("share_in_profit", "Share of supply in profit", "share", "How much of the supply was bought below the price."),
  column(
    "sopr_7d",
    "SOPR, 7 days",
    "ratio",
    "What coins were spent for by what they were bought for, of the sums of seven days: below 1, they were sold at a loss.",
    "smooth(sopr, 7)",
  ),
  column(
    "net_realised_profit_7d",
    "Net realised profit, 7 days",
    "usd",
    "Profits less losses of all coins spent, the sum of seven days.",
    "sum(net_realised_profit, 7)",
  ),
  column(
    "netflow_dollar_7d",
    "Netflow to exchanges, 7 days",
    "usd",
    "What went to exchanges less what left them, in dollars, the sum of seven days.",
    "sum(netflow_dollar, 7)",
  ),
  column("active_addresses", "Active addresses", "count", "Addresses that sent or received on the last day."),
  column(
    "share_lth",
    "Share of long-term holders",
    "share",
    "How much of the supply has been held for 155 days or longer.",
    "supply:lth / supply",
  ),
  column("exchange_share", "Share on exchanges", "share", "How much of the supply the known exchanges have."),
  column(
    "share_top_100",
    "Share of the largest hundred",
    "share",
    "How much of the supply the hundred largest holders have.",
    "supply_top_100 / supply",
  ),
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

/** Numbers are kept in metadata, which is short. */
const DIGITS = 8;

/** The values of a series by the starts of their days, Unix seconds; those that are missing are not there. */
export type ScreenedDays = ReadonlyMap<number, number>;

/** The fields of a column on a day; null is missing. */
export function screenerFields(
  { isFraction }: Pick<ScreenerColumn, "isFraction">,
  days: ScreenedDays,
  t: number,
): Screener["columns"][string] {
  const now = days.get(t);
  if (now === undefined) return [null, null, null, null, null];
  const change = (count: number) => {
    const earlier = days.get(t - count * DAY_SECONDS);
    if (earlier === undefined) return null;
    return screenerNumber(isFraction ? now / earlier - 1 : now - earlier);
  };
  const year = [...days].filter(([time]) => time <= t && time > t - PERCENTILE_DAYS * DAY_SECONDS);
  const atMost = year.filter(([, value]) => value <= now).length / year.length;
  const changes = [CHANGE_DAYS["1d"], CHANGE_DAYS["7d"], CHANGE_DAYS["30d"]] as const;
  return [screenerNumber(now), change(changes[0]), change(changes[1]), change(changes[2]), screenerNumber(atMost)];
}

/** A number with the digits that the screener keeps; null is missing. */
export const screenerNumber = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(DIGITS));

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
