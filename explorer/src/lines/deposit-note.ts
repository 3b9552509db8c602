/** What the flows of exchanges rest on beside labels: deposit addresses. */

import { type Asset, type Context, catalogMetric, findAsset } from "../api/catalog.ts";
import { full } from "../format/numbers.ts";
import { type Line, lineInputs } from "./lines.ts";

/** A sentence for each asset with deposit addresses whose exchanges some of the lines are of, for the footnote. */
export function depositNotes(lines: readonly Line[], context: Context): string[] {
  const { catalog } = context;
  const symbols = lines.flatMap((line) =>
    lineInputs(line, context)
      .filter(({ metric }) => catalogMetric(catalog, metric)?.group === "exchanges")
      .map(({ asset }) => asset),
  );
  return [...new Set(symbols)].flatMap((symbol) => noteOf(findAsset(catalog, symbol)) ?? []);
}

function noteOf(asset: Asset | undefined): string | undefined {
  if (!asset?.deposits?.addresses) return undefined;
  const { asOf, addresses, exchanges, inflowShare } = asset.deposits;
  const listed = exchanges.reduce((sum, one) => sum + one.addresses, 0);
  const many = exchanges.length === 1 ? "one exchange" : `${full(exchanges.length, "count")} exchanges`;
  const of = listed < addresses ? `more than ${many}` : many;
  const count = addresses === 1 ? "one deposit address" : `${full(addresses, "count")} deposit addresses`;
  const source = asOf === undefined ? "named by the operator" : "found from transfers";
  const share = inflowShare === undefined ? "" : `: ${(100 * inflowShare).toFixed(1)} % of the last 365 days' inflow`;
  return `${asset.symbol}'s exchanges also receive through ${count} of ${of}, ${source}${share}.`;
}
