/** Formulas in links to charts: what the explorer draws, as far as it can be told without its assets. */

import { FORMULA_NAMES, FormulaError, readFormula as read, tokenise, UnknownName } from "../../data-schema/formula.ts";
import {
  isLotSelector,
  isOwnCohort,
  type LotSelector,
  METRICS,
  type Metric,
  NAMED_FORMULAS,
  type OwnCohort,
} from "../../data-schema/registry.ts";
import { drawnMetric, UnreadableLine } from "./metric.ts";

/** What a formula is computed from. */
export interface ChartFormula {
  /** The metrics that the formula reads; at least one. */
  metrics: readonly Metric[];
  /** The assets that the formula names. Any other is the chart's. */
  assets: readonly string[];
  /** Lots and own cohorts that it reads, for the assets' operators decide which there are: of an asset by symbol, "" the chart's. */
  chosen: readonly { asset: string; selector: LotSelector | OwnCohort }[];
}

/** Whether an asset's operator decides if there is a selector. */
export const isChosen = (selector: string | null): selector is LotSelector | OwnCohort =>
  isLotSelector(selector) || isOwnCohort(selector);

/** Bounds below those of the explorer: its own links may hold more. */
const MOST_CHARACTERS = 200;
const MOST_LEVELS = 20;
const MOST_SERIES = 20;

/** Too short for the digits of a key. */
const SHORT_NUMBER = /^(?:\d{1,7}(?:\.\d{0,7})?|\.\d{1,7})$/;

/**
 * Reads a formula.
 *
 * @throws {UnreadableLine} what the explorer could not compute, and some that only this refuses: long ones, long numbers,
 *   and quotes
 */
export function readChartFormula(text: string): ChartFormula {
  if (text.length > MOST_CHARACTERS) throw new UnreadableLine(`A formula has at most ${MOST_CHARACTERS} characters.`);
  try {
    checkBounds(text);
    const { metrics, inputs } = read(text, FORMULA_NAMES);
    return {
      metrics: metrics.map(({ name }) => drawnMetric(name)),
      assets: [...new Set(inputs.flatMap(({ asset }) => asset || []))],
      chosen: inputs.flatMap(({ asset, selector }) => (isChosen(selector) ? [{ asset, selector }] : [])),
    };
  } catch (error) {
    if (error instanceof UnknownName) throw new UnreadableLine(error.message, error.allowed, error.written);
    if (error instanceof FormulaError)
      throw new UnreadableLine(`${error.message} See character ${error.span.from + 1}.`);
    throw error;
  }
}

/** @throws {UnreadableLine} more than a link needs */
function checkBounds(text: string): void {
  let level = 1;
  let series = 0;
  const tokens = tokenise(text);
  for (const [i, token] of tokens.entries()) {
    const { kind, from, to } = token;
    const written = text.slice(from, to);
    if (kind === "number" && !SHORT_NUMBER.test(written)) throw new UnreadableLine("The formula has a long number.");
    if (kind === "(" && ++level > MOST_LEVELS) {
      throw new UnreadableLine("The formula has too many brackets inside each other.");
    }
    if (kind === ")") level--;
    if (kind !== "name") continue;
    if (/["']/.test(written)) throw new UnreadableLine("A formula in a link has no quotes.");
    if (tokens[i + 1]!.kind !== "(") series += seriesOf(token.name.toLowerCase());
  }
  if (series > MOST_SERIES) throw new UnreadableLine(`A formula has at most ${MOST_SERIES} series.`);
}

/** How many series a name stands for: a named formula has one for each of its metrics. */
function seriesOf(name: string): number {
  const named = NAMED_FORMULAS.find((formula) => formula.name === name);
  const words = new Set(named?.text.match(/[a-z_]+/g));
  return named ? METRICS.filter((metric) => words.has(metric.name)).length : 1;
}
