/** Formulas in links to charts: what the explorer draws, as far as it can be told without its assets. */

import { FormulaError, UnknownName } from "../../data-schema/formula/formula-error.ts";
import { type Names, readFormula as read } from "../../data-schema/formula/resolve.ts";
import { tokenise } from "../../data-schema/formula/tokens.ts";
import { METRICS, type Metric, selectorOf } from "../../data-schema/metrics.ts";
import { NAMED_FORMULAS } from "../../data-schema/named-formulas.ts";
import { drawnMetric, UnreadableLine } from "./metric.ts";

/** What a formula is computed from. */
export interface Formula {
  /** At least one. */
  metrics: readonly Metric[];
  /** Those that it names. Any other is the chart's. */
  assets: readonly string[];
}

/** Below the explorer's bound: its own links may hold more. */
const MOST_CHARACTERS = 200;

/** Too short for the digits of a key. */
const SHORT_NUMBER = /^(?:\d{1,7}(?:\.\d{0,7})?|\.\d{1,7})$/;

const NAMES: Names<Metric & Names["metrics"][number]> = {
  metrics: METRICS.map((metric) => ({ ...metric, selector: selectorOf(metric) })),
  formulas: NAMED_FORMULAS,
  assets: null,
  asset: undefined,
};

/**
 * Reads a formula.
 *
 * @throws {UnreadableLine} what the explorer could not compute, and some that only this refuses: long ones, long numbers,
 *   and quotes
 */
export function readFormula(text: string): Formula {
  if (text.length > MOST_CHARACTERS) throw new UnreadableLine(`A formula has at most ${MOST_CHARACTERS} characters.`);
  try {
    for (const { kind, from, to } of tokenise(text)) {
      if (kind === "number" && !SHORT_NUMBER.test(text.slice(from, to)))
        throw new UnreadableLine("The number is too long.");
      if (kind === "name" && /["']/.test(text.slice(from, to)))
        throw new UnreadableLine("A link's formula has no quotes.");
    }
    const { metrics, inputs } = read(text, NAMES);
    return {
      metrics: metrics.map(({ name }) => drawnMetric(name)),
      assets: [...new Set(inputs.flatMap(({ asset }) => asset || []))],
    };
  } catch (error) {
    if (error instanceof UnknownName) throw new UnreadableLine(error.message, error.allowed, error.written);
    if (error instanceof FormulaError)
      throw new UnreadableLine(`${error.message} See character ${error.span.from + 1}.`);
    throw error;
  }
}
