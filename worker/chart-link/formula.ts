/** Formulas in links to charts: what the explorer draws, as far as it can be told from the text. */

import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import type { Metric } from "../../data-schema/metrics.ts";
import { FUNCTIONS, MOST_ROWS, NAMED_FORMULAS } from "./formula-names.ts";
import { checkSelector, drawnMetric, findDrawn, METRIC_NAMES, UnreadableLine } from "./metric.ts";

/** What a formula is computed from. */
export interface Formula {
  /** At least one. */
  metrics: readonly Metric[];
  /** Those that it names. Any other is the chart's. */
  assets: readonly string[];
}

/** Bounds below those of the explorer: its own links may hold more. */
const MOST_CHARACTERS = 200;
const MOST_LEVELS = 20;
const MOST_SERIES = 20;

/** Numbers are too short for the digits of a key. */
const NUMBER = /(?:\d{1,7}(?:\.\d{0,7})?|\.\d{1,7})(?![\w.])/y;
/** A name, and before it the symbol of its asset, which may contain dots. */
const NAME = /\w+(?:\.\w+)*/y;
/** The forms of selectors; see explorer/src/formula/tokens.ts. */
const SELECTOR =
  /:((?:\$[\d.]+[kKmM]?(?:-[\d.]+[kKmM]?|\+)|<\d+[dwmy]|\d+[dwmy]-\d+[dwmy]|[A-Za-z_]\w*(?:\.\w+)*)(?![\w.$<]))/y;
const OPERATOR = /[-+*/−×÷]/y;
const SIGN = /[-+−]/y;

/**
 * Reads a formula.
 *
 * @throws {UnreadableLine} what the explorer could not compute, and some that only this refuses: long ones, and quotes
 */
export function readFormula(text: string): Formula {
  if (text.length > MOST_CHARACTERS) throw new UnreadableLine(`A formula has at most ${MOST_CHARACTERS} characters.`);
  let at = 0;
  let level = 0;
  let series = 0;
  const metrics = new Set<Metric>();
  const assets = new Set<string>();
  sum();
  if (at < text.length)
    throw new UnreadableLine(malformed("has an operator missing, or a character without a meaning"));
  if (metrics.size === 0) throw new UnreadableLine("A formula needs at least one metric.");
  return { metrics: [...metrics], assets: [...assets] };

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    return found[1] ?? found[0];
  }

  function has(token: string | RegExp): boolean {
    match(/\s*/y);
    if (typeof token !== "string") return match(token) !== undefined;
    if (text[at] !== token) return false;
    at++;
    return true;
  }

  function sum(): void {
    if (++level > MOST_LEVELS) throw new UnreadableLine("The formula has too many brackets inside each other.");
    do operand();
    while (has(OPERATOR));
    level--;
  }

  function operand(): void {
    while (has(SIGN));
    if (has("(")) {
      sum();
      close();
    } else if (match(NUMBER) === undefined) {
      named();
    }
  }

  /** A call, or a series. */
  function named(): void {
    const path = match(NAME);
    if (path === undefined) throw new UnreadableLine(malformed("lacks a number or a metric"));
    const selector = match(SELECTOR);
    if (selector === undefined && has("(")) {
      call(path.toLowerCase());
      return;
    }
    const dot = path.lastIndexOf(".");
    if (dot >= 0) addAsset(path.slice(0, dot).toUpperCase());
    readSeries(path.slice(dot + 1).toLowerCase(), selector);
  }

  function call(name: string): void {
    const taken = FUNCTIONS.get(name);
    if (taken === undefined) throw new UnreadableLine("Formulas know no such function.", [...FUNCTIONS.keys()], name);
    const before = series;
    sum();
    if (series === before) throw new UnreadableLine(`${name} needs a metric, not only a number.`);
    if (has(",")) readRows(name, taken.least);
    else if (!taken.isOptional) throw new UnreadableLine(`${name} needs a number of rows, such as ${name}(price, 30).`);
    close();
  }

  function readRows(name: string, least: number | null): void {
    if (least === null) throw new UnreadableLine(`${name} takes nothing but a metric.`);
    match(/\s*/y);
    const rows = Number(match(NUMBER));
    if (Number.isInteger(rows) && rows >= least && rows <= MOST_ROWS) return;
    throw new UnreadableLine(
      `The second argument of ${name} is a whole number of rows, from ${least} to ${MOST_ROWS}.`,
    );
  }

  function close(): void {
    if (!has(")")) throw new UnreadableLine(malformed("has a bracket that is never closed, or an operator missing"));
  }

  function addAsset(symbol: string): void {
    if (!SYMBOL_PATTERN.test(symbol)) throw new UnreadableLine("A symbol has another form.");
    assets.add(symbol);
  }

  function readSeries(name: string, selector: string | undefined): void {
    const named = findDrawn(name) ? [name] : NAMED_FORMULAS.get(name)?.metrics;
    if (named === undefined) {
      throw new UnreadableLine("Formulas know no such metric.", [...METRIC_NAMES, ...NAMED_FORMULAS.keys()], name);
    }
    series += named.length;
    if (series > MOST_SERIES) throw new UnreadableLine(`A formula has at most ${MOST_SERIES} series.`);
    for (const metric of named.map(drawnMetric)) {
      if (selector !== undefined) checkSelector(metric, selector);
      metrics.add(metric);
    }
  }

  function malformed(what: string): string {
    return `The formula ${what}, at character ${at + 1}.`;
  }
}
