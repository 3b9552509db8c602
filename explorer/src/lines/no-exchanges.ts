/** Lines of exchanges, for assets of which no address counts as an exchange: they would be 0 without saying why. */

import { type Asset, type Context, catalogMetric, findAsset } from "../api/catalog.ts";
import { Problem } from "../api/problem.ts";
import { type Line, lineInputs } from "./lines.ts";

/** The type of such a problem. Nothing that a reader can do mends it. */
export const NO_EXCHANGES = "no-exchanges";

/** Why a line is not shown; null where exchanges are known, or the line is not of exchanges. */
export function noExchanges(line: Line, context: Context): Problem | null {
  const { catalog } = context;
  for (const { asset: symbol, metric, selector } of lineInputs(line, context)) {
    // Among the parts of a whole, exchanges may well hold nothing.
    const isCohort = selector === "cex" && line.kind !== "family";
    const isOfExchanges = isCohort || catalogMetric(catalog, metric)?.group === "exchanges";
    const asset = isOfExchanges ? findAsset(catalog, symbol) : undefined;
    if (asset && lacksExchanges(asset)) return problemOfAsset(asset);
  }
  return null;
}

/** Builds before 0.3.0, which have no time of their activation either, did not say how many addresses are labelled. */
const lacksExchanges = ({ activated, labels }: Asset) =>
  activated !== undefined && (labels?.exchanges?.addresses ?? 0) === 0;

const problemOfAsset = ({ symbol, chain }: Asset) =>
  new Problem(
    NO_EXCHANGES,
    "No exchange is known",
    `No address on ${chain} is listed as an exchange's for ${symbol}. What exchanges hold and move can't be told, and would show as 0.`,
  );
