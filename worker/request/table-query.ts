/** Query string of GET /v3/series → query, checked against the registry. Source: docs/api.md#order-of-checks. */

import { type FormulaMeasure, findMeasure, MEASURES, measuresOwnCohorts } from "../../data-schema/formula.ts";
import {
  ALL_OWN,
  allLotSelectors,
  everyLotOf,
  isLotSelector,
  isOfLots,
  isOwn,
  isOwnCohort,
  LOT_COHORTS,
  lotSelectors,
  methodOf,
  type Resolution,
} from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { parseRelative, type Relative } from "../../data-schema/text.ts";
import { Problem, repeatable } from "../problems/problem.ts";
import { checkFormulas, placeInFormulas, readFormulas, type WantedFormula } from "./parameters/formula-parameter.ts";
import { givenValues } from "./parameters/given.ts";
import { readInstant } from "./parameters/instant-parameter.ts";
import type { TableFormat } from "./parameters/table-formats.ts";
import {
  EVERY,
  MOST_NAMES,
  mostSeries,
  TABLE_PARAMETERS,
  type TableParameter,
  type TableParameterName,
  type TimeForm,
  tableParameter,
} from "./parameters/table-parameters.ts";
import { upperCase } from "./validate.ts";

/** Every value as it was first published, or all as it was at a time, Unix seconds. */
export type KnownTime = "first" | number;

/** A time in Unix seconds, or one that counts back from the last published bucket. */
export type Bound = number | Relative;

/** The series of one metric, or named formula, that are wanted of each asset. */
interface WantedMeasure {
  measure: FormulaMeasure;
  /** The selectors in the order in which they were named; at least one. */
  selectors: readonly string[];
}

/** A request for several series on one time line, with every default filled in. */
export interface TableQuery {
  /** In upper case. Whether there are such assets is checked in the next step. */
  symbols: readonly string[];
  measures: readonly WantedMeasure[];
  formulas: readonly WantedFormula[];
  /** Assets that formulas name, besides. */
  others: readonly string[];
  resolution: Resolution;
  /** Inclusive, like until. -Infinity and Infinity when not given. */
  since: Bound;
  until: Bound;
  /** Block numbers, inclusive; -Infinity and Infinity when not given. */
  sinceBlock: number;
  untilBlock: number;
  /** The last so many rows; null for all. */
  last: number | null;
  time: TimeForm;
  /** The id of a build, of the only asset; null for the active builds. */
  build: string | null;
  /** The values as they were known; null for what is known now. */
  known: KnownTime | null;
  format: TableFormat;
}

/** Where formulas alone name an asset, as `placeInFormulas`. */
export const placeOfAsset =
  ({ others, formulas }: TableQuery) =>
  (symbol: string): string =>
    others.includes(symbol) ? placeInFormulas(formulas, "asset", symbol) : "";

/**
 * The query that the parameters describe.
 *
 * @throws {Problem} 400 with the first wrong parameter, what is allowed, and the nearest of that
 */
export function validateTable(parameters: URLSearchParams): TableQuery {
  const values = givenValues(parameters, TABLE_PARAMETERS);
  const symbols = symbolsOf(values);
  if (!values.has("m") && !values.has("x"))
    throw missing("m", "Name the metrics in the parameter m, or give formulas in x.");
  const measures = values.has("m") ? wantedMeasures(values) : [];
  const formulas = values.has("x") ? readFormulas(values.get("x")!) : [];
  const named = formulas.flatMap(({ formula }) => formula.inputs.map(({ asset }) => asset));
  const others = [...new Set(named)].filter((asset) => asset !== "" && !symbols.includes(asset));
  const assets = symbols.length + others.length;
  if (assets > MOST_NAMES) throw tooManyAssets(assets);
  const resolution = choice("r", values) as Resolution;
  checkResolution(resolution, measures);
  checkFormulas(formulas, resolution);
  const count = symbols.length * measures.reduce((sum, { selectors }) => sum + selectors.length, formulas.length);
  if (count > mostSeries(resolution)) throw tooManySeries(count, resolution);
  for (const [name, others] of EXCLUSIVE) refuseTogether(values, name, others);
  const since = bound("s", values, Number.NEGATIVE_INFINITY);
  const until = bound("u", values, Number.POSITIVE_INFINITY);
  if (typeof since === "number" && typeof until === "number" && since > until) throw reversed("s", "u");
  if (resolution !== "block") refuseBlocks(values);
  const sinceBlock = wholeNumber("sb", values) ?? Number.NEGATIVE_INFINITY;
  const untilBlock = wholeNumber("ub", values) ?? Number.POSITIVE_INFINITY;
  if (sinceBlock > untilBlock) throw reversed("sb", "ub");
  const last = lastOf(values);
  const time = choice("time", values) as TimeForm;
  const build = buildOf(values, [...symbols, ...others]);
  const known = knownTime(values);
  const format = choice("f", values) as TableFormat;
  const rows = { since, until, sinceBlock, untilBlock, last };
  return { symbols, measures, formulas, others, resolution, ...rows, time, build, known, format };
}

/** The parameters that exclude others: each says in another way where the rows begin or end. */
const EXCLUSIVE: readonly [TableParameterName, readonly TableParameterName[]][] = [
  ["last", ["s", "sb"]],
  ["sb", ["s", "u"]],
  ["ub", ["s", "u"]],
  ["known", ["build"]],
];

type Values = ReadonlyMap<string, string>;

const choice = (name: TableParameterName, values: Values) => choiceOf(tableParameter(name), values);

/** The value of a parameter that has a list of allowed values. */
export function choiceOf(
  { name, values: allowed = [], default: preset }: TableParameter<string>,
  values: Values,
): string {
  const value = values.get(name) ?? preset!;
  if (allowed.includes(value)) return value;
  throw new Problem("invalid-parameter", `${name} does not take this value.`, {
    parameter: name,
    allowed,
    suggestion: nearest(value, allowed),
  });
}

/**
 * The symbols in `a`, in upper case.
 *
 * @param parameter says how many there may be
 * @throws {Problem} 400 missing, empty, too many, or one twice
 */
export function symbolsOf(values: Values, parameter?: TableParameter<string>): string[] {
  const symbols = namesOf("a", values, parameter).map(upperCase);
  refuseRepeated("a", symbols);
  return symbols;
}

/** The names in a list. */
function namesOf(
  name: "a" | "m" | "c",
  values: Values,
  { title, list, forms }: TableParameter<string> = tableParameter(name),
): string[] {
  const value = values.get(name);
  if (value === undefined) throw missing(name, `Name the ${title.toLowerCase()} in the parameter ${name}.`);
  const names = value.split(",");
  if (names.includes("")) throw invalid(name, `${name} has an empty entry: separate its values by single commas.`);
  if (list !== undefined && names.length > list.most) {
    throw new Problem("too-many-series", `${name} takes up to ${list.most} values, not ${names.length}.`, {
      parameter: name,
      allowed: forms,
    });
  }
  return names;
}

function refuseRepeated(name: "a" | "m" | "c", names: readonly string[]): void {
  const isRepeated = (given: string, index: number) => names.indexOf(given) < index;
  if (names.some(isRepeated)) throw invalid(name, `${name} names the same twice.`);
}

/** The metrics and named formulas, each with those of the selectors that it has. */
function wantedMeasures(values: Values): WantedMeasure[] {
  const names = namesOf("m", values);
  const known: readonly string[] = MEASURES.map((measure) => measure.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Problem("invalid-parameter", `There is no ${named("metric", unknown)}.`, {
      parameter: "m",
      allowed: known,
      suggestion: nearest(unknown, known),
    });
  }
  refuseRepeated("m", names);
  const measures = names.map((name) => findMeasure(name)!);
  const selectors = values.has("c") ? namesOf("c", values) : null;
  if (selectors === null) {
    return measures.map((measure) => ({ measure, selectors: [measure.default] }));
  }
  const own = selectors.filter(isOwn);
  const malformed = own.find((selector) => selector !== ALL_OWN && !isOwnCohort(selector));
  if (malformed !== undefined) throw invalid("c", OWN_FORM);
  if (own.includes(ALL_OWN) && own.length > 1) {
    throw invalid("c", `${ALL_OWN} stands for all own cohorts: name none of them beside it.`);
  }
  const lots = selectors.filter(isOfLots);
  checkLots(lots);
  if (selectors.includes(EVERY)) {
    if (selectors.length > own.length + lots.length + 1) {
      throw invalid("c", `${EVERY} stands for all selectors but own cohorts and lots: name no others beside it.`);
    }
    return measures.map((measure) => ({
      measure,
      selectors: [...measure.selectors, ...(measuresOwnCohorts(measure) ? own : []), ...lotsOf(measure, lots)],
    }));
  }
  const allowed = [...new Set(measures.flatMap(({ selectors }) => selectors))];
  const stranger = selectors.find((selector) => !allowed.includes(selector) && !isOwn(selector) && !isOfLots(selector));
  if (stranger !== undefined) {
    const detail = `${measures.map(({ name }) => name).join(", ")} ${measures.length === 1 ? "has" : "have"} no`;
    throw new Problem("invalid-parameter", `${detail} ${named("selector", stranger)}.`, {
      parameter: "c",
      allowed: [EVERY, ...allowed],
      suggestion: nearest(stranger, allowed),
    });
  }
  refuseRepeated("c", selectors);
  return measures.map((measure) => ({ measure, selectors: selectorsOf(measure, selectors) }));
}

/** The selectors that the metric has. A metric with one series always gives it: there is nothing to select. */
function selectorsOf(measure: FormulaMeasure, selectors: readonly string[]): readonly string[] {
  const own = measure.selectors;
  const isSingle = own.length === 1;
  const taken = selectors.flatMap((selector) => {
    if (isOfLots(selector)) return lotsOf(measure, [selector]);
    const isTaken = isOwn(selector) ? measuresOwnCohorts(measure) : own.includes(selector);
    return isTaken && !isSingle ? [selector] : [];
  });
  // A single series is not selected, but lots may be wanted in place of it, or beside it.
  if (isSingle && (taken.length === 0 || !selectors.every(isOfLots))) return [...own, ...taken];
  if (taken.length > 0) return taken;
  throw new Problem("invalid-parameter", `${measure.name} has none of these selectors.`, {
    parameter: "c",
    allowed: [EVERY, ...own],
    suggestion: nearest(selectors[0]!, own),
  });
}

/** @throws {Problem} 400 something is no selector of lots, or stands beside one that includes it */
function checkLots(lots: readonly string[]): void {
  const known = lots.filter((selector) => isLotSelector(selector) || everyLotOf(selector) !== undefined);
  const malformed = lots.find((selector) => !known.includes(selector));
  if (malformed !== undefined) {
    const method = methodOf(malformed);
    const allowed = [`${method}.*`, ...lotSelectors(method, LOT_COHORTS)];
    throw new Problem("invalid-parameter", `Lots have no ${named("selector", malformed)}.`, {
      parameter: "c",
      allowed,
      suggestion: nearest(malformed, allowed),
    });
  }
  const every = known.find(everyLotOf);
  if (every === undefined || known.filter((selector) => methodOf(selector) === everyLotOf(every)).length === 1) return;
  throw invalid("c", `${every} stands for all lots of ${everyLotOf(every)}: name none of them beside it.`);
}

/** The selectors of lots that a measure has, with those that one stands for. */
const lotsOf = ({ lotCohorts }: FormulaMeasure, lots: readonly string[]): string[] =>
  lots.flatMap((selector): readonly string[] => {
    const method = everyLotOf(selector);
    if (method !== undefined) return lotSelectors(method, lotCohorts);
    return allLotSelectors(lotCohorts).filter((one) => one === selector);
  });

const OWN_FORM = `An own cohort is @ and its name, of 1 to 32 of a–z, 0–9, "_" and "-"; ${ALL_OWN} is all of them.`;

function checkResolution(resolution: Resolution, wanted: readonly WantedMeasure[]): void {
  const lacking = wanted.filter(({ measure }) => !measure.resolutions.includes(resolution));
  if (lacking.length === 0) return;
  const names = lacking.map(({ measure }) => measure.name).join(", ");
  throw new Problem(
    "invalid-parameter",
    `${names} ${lacking.length === 1 ? "is" : "are"} not available by ${resolution}.`,
    {
      parameter: "r",
      allowed: tableParameter("r").values!.filter((value) =>
        wanted.every(({ measure }) => measure.resolutions.includes(value as Resolution)),
      ),
    },
  );
}

/** A bare negative number would be a time before 1970, and is always meant as a span. */
const BARE_NEGATIVE = /^-\d+$/;

export function bound(name: "s" | "u", values: Values, fallback: number): Bound {
  const value = values.get(name);
  return value === undefined ? fallback : readBound(tableParameter(name), value);
}

/** @throws {Problem} 400 neither a time nor a span */
export function readBound(parameter: TableParameter<string>, value: string): Bound {
  const { name } = parameter;
  if (BARE_NEGATIVE.test(value)) {
    throw new Problem("invalid-parameter", `${name} is a span without its unit.`, {
      parameter: name,
      allowed: parameter.forms,
      suggestion: value.length <= 7 ? `${value}d` : undefined,
    });
  }
  return parseRelative(value) ?? readInstant(parameter, value);
}

/** How many of the last rows are wanted; null for all. */
export function lastOf(values: Values): number | null {
  const last = wholeNumber("last", values);
  if (last === 0) throw invalid("last", "last is at least 1.");
  return last;
}

function wholeNumber(name: "last" | "sb" | "ub", values: Values): number | null {
  const value = values.get(name);
  if (value === undefined) return null;
  const { pattern, forms } = tableParameter(name);
  if (!new RegExp(pattern!).test(value)) throw invalid(name, `${name} is not ${forms![0]}.`);
  return Number(value);
}

function knownTime(values: Values): KnownTime | null {
  const value = values.get("known");
  if (value === undefined) return null;
  if (value === "first") return value;
  const parameter = tableParameter("known");
  if (/\d/.test(value)) return readInstant(parameter, value);
  const facts = { parameter: "known", allowed: parameter.forms, suggestion: nearest(value, ["first"]) };
  throw new Problem("invalid-parameter", "known is first, or a time.", facts);
}

function buildOf(values: Values, symbols: readonly string[]): string | null {
  const value = values.get("build");
  if (value === undefined) return null;
  if (!new RegExp(tableParameter("build").pattern!).test(value)) throw invalid("build", "build is no id of a build.");
  if (symbols.length === 1) return value;
  throw new Problem("conflicting-parameters", "build names a build of one asset: give one in a.", {
    parameter: "build",
  });
}

export function refuseTogether(values: Values, name: string, others: readonly string[]): void {
  const other = others.find((other) => values.has(other));
  if (!values.has(name) || other === undefined) return;
  throw new Problem("conflicting-parameters", `${name} and ${other} exclude each other: give one of them.`, {
    parameter: name,
  });
}

function refuseBlocks(values: Values): void {
  const name = ["sb", "ub"].find((name) => values.has(name));
  if (name === undefined) return;
  throw new Problem("conflicting-parameters", `${name} is a block number, and goes with r=block.`, { parameter: name });
}

/** Rows whose first bound is later than their last. */
export function reversed(first: "s" | "sb", last: "u" | "ub"): Problem {
  return new Problem("reversed-range", `${first} (since) is later than ${last} (until).`, { parameter: first });
}

export function tooManySeries(count: number, resolution: Resolution): Problem {
  const most = mostSeries(resolution);
  return new Problem(
    "too-many-series",
    `These are ${count} series: an answer has up to ${most} at r=${resolution}. Ask for fewer at once.`,
    { parameter: "c" },
  );
}

function tooManyAssets(count: number): Problem {
  const detail = `A request names up to ${MOST_NAMES} assets, those in formulas included, not ${count}.`;
  return new Problem("too-many-series", detail, { parameter: "x" });
}

/** Which of a list it is: `metric "mvrv"`, or `such metric`. */
function named(what: string, value: string): string {
  return repeatable(value) === undefined ? `such ${what}` : `${what} "${value}"`;
}

const missing = (name: TableParameterName, detail: string) =>
  new Problem("missing-parameter", detail, { parameter: name });

function invalid(name: TableParameterName, detail: string): Problem {
  const { values, forms } = tableParameter(name);
  return new Problem("invalid-parameter", detail, { parameter: name, allowed: forms ?? values });
}
