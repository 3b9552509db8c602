/**
 * What requests of TradingView's UDF protocol ask for. Parameters that the protocol may add are ignored: its clients are
 * not ours. Source: docs/api.md#udf.
 */

import type { Resolution } from "../../data-schema/registry.ts";
import { Problem, type ProblemFacts, repeatable } from "../problems/problem.ts";
import { type TableQuery, validateTable } from "../request/table-query.ts";

/** The resolutions, by the names of the protocol. */
const RESOLUTIONS: Readonly<Record<string, Resolution>> = { "60": "hour", "1D": "day", "1W": "week", "1M": "month" };
export const UDF_RESOLUTIONS: readonly string[] = Object.keys(RESOLUTIONS);

/** The number may be left out where it is 1. */
const SHORT: Readonly<Record<string, string>> = { D: "1D", W: "1W", M: "1M" };

/** The resolution of series that one of the protocol stands for. */
export const resolutionOf = (name: string): Resolution => RESOLUTIONS[name]!;

const SYMBOL = { parameter: "symbol" };

const FORM =
  "A symbol is <asset>:<metric>:<selector>, such as ARIA:sopr:lth; without the selector it is the metric's default.";

/**
 * The series that a symbol names, as a query of GET /v3/series.
 *
 * @param others parameters of that query besides
 * @throws {Problem} 400 no symbol, no such metric or selector
 */
function queryOf(symbol: string | null, others: Readonly<Record<string, string>>): TableQuery {
  if (!symbol) throw new Problem("missing-parameter", `Name the symbol. ${FORM}`, SYMBOL);
  const [asset = "", metric = "", ...selectors] = symbol.split(":");
  // A list would be several series.
  if (asset === "" || metric === "" || selectors.length > 1 || /[,*]/.test(symbol)) {
    throw new Problem("invalid-parameter", FORM, SYMBOL);
  }
  const [selector] = selectors;
  const parameters = { a: asset, m: metric, ...(selector !== undefined && { c: selector }), ...others };
  return validateTable(new URLSearchParams(parameters));
}

/** The protocol's parameters, by those of GET /v3/series that stand for them here. */
const PARAMETERS: Readonly<Record<string, string>> = {
  ...{ a: SYMBOL.parameter, m: SYMBOL.parameter, c: SYMBOL.parameter },
  ...{ r: "resolution", s: "from", u: "to", last: "countback" },
};

/** What is wrong with an asset, a metric or a selector is wrong with the symbol, and so on. */
export function toldOfSymbol(error: unknown): unknown {
  const own = error instanceof Problem ? PARAMETERS[error.facts.parameter ?? ""] : undefined;
  if (!(error instanceof Problem) || own === undefined) return error;
  const { allowed } = error.facts;
  return error.withFacts({ allowed: own === "resolution" ? namesOf(allowed ?? []) : allowed, parameter: own });
}

/** The protocol's names of some resolutions. */
const namesOf = (resolutions: readonly string[]): string[] =>
  UDF_RESOLUTIONS.filter((name) => resolutions.includes(resolutionOf(name)));

/** @throws {Problem} 400 as `queryOf` */
export const symbolQuery = (parameters: URLSearchParams): TableQuery => queryOf(parameters.get("symbol"), {});

/**
 * The bars that are wanted: from a time, inclusive, to another, exclusive; or the last so many before that.
 *
 * @throws {Problem} 400 as `queryOf`; another resolution; a time or a number that is none
 */
export function historyQuery(parameters: URLSearchParams): TableQuery {
  const given = parameters.get("resolution") ?? "1D";
  const name = SHORT[given] ?? given;
  if (!UDF_RESOLUTIONS.includes(name)) {
    const facts: ProblemFacts = { parameter: "resolution", allowed: UDF_RESOLUTIONS };
    throw new Problem("invalid-parameter", `There is no resolution ${repeatable(given) ?? "of this name"}.`, facts);
  }
  const from = wholeNumber("from", parameters);
  const to = wholeNumber("to", parameters);
  const count = wholeNumber("countback", parameters);
  const isCounted = count !== null && count > 0;
  if (!isCounted && from !== null && to !== null && from >= to) {
    throw new Problem("reversed-range", "from is not earlier than to.", { parameter: "from" });
  }
  return queryOf(parameters.get("symbol"), {
    r: resolutionOf(name),
    // A chart may reach back before 1970.
    ...(to !== null && { u: String(Math.max(to - 1, 0)) }),
    ...(isCounted ? { last: String(Math.min(count, MOST_BARS)) } : from !== null && { s: String(Math.max(from, 0)) }),
  });
}

/** More than any series has. */
const MOST_BARS = 1_000_000;

/** Null if it is not given. */
function wholeNumber(name: "from" | "to" | "countback", parameters: URLSearchParams): number | null {
  const value = parameters.get(name);
  if (value === null || value === "") return null;
  // Some clients send fractions.
  if (/^-?\d{1,12}(\.\d*)?$/.test(value)) return Math.floor(Number(value));
  throw new Problem("invalid-parameter", `${name} is not a whole number.`, { parameter: name });
}
