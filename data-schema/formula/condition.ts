/** A condition: two formulas, and how they compare, as in `smooth(sopr:lth, 7) < 1`. */

import { ARITHMETIC } from "./arithmetic.ts";
import { FormulaError, UnknownName } from "./formula-error.ts";
import type { Comparison } from "./functions/choice.ts";
import type { FormulaMetric, Names } from "./names.ts";
import { parseCondition, type Tree } from "./parse.ts";
import { type Formula, readFormula } from "./resolve.ts";

/** A side of a condition: a formula, or a number. */
export interface Side<M extends FormulaMetric = FormulaMetric> {
  text: string;
  of: Formula<M> | number;
}

export interface Condition<M extends FormulaMetric = FormulaMetric> {
  left: Side<M>;
  comparison: Comparison;
  right: Side<M>;
}

/**
 * Reads a condition.
 *
 * @throws {FormulaError} for the first thing that is wrong, at its place in the text
 */
export function readCondition<M extends FormulaMetric>(text: string, names: Names<M>): Condition<M> {
  const { left, comparison, right, from, to } = parseCondition(text);
  const side = (tree: Tree): Side<M> => {
    const own = text.slice(tree.from, tree.to);
    const number = numberOf(tree);
    if (number !== undefined) return { text: own, of: number };
    try {
      return { text: own, of: readFormula(own, names) };
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      const span = { from: error.span.from + tree.from, to: error.span.to + tree.from };
      throw error instanceof UnknownName ? error.at(span) : new FormulaError(error.message, span, error.isUnfinished);
    }
  };
  const condition = { left: side(left), comparison, right: side(right) };
  if (typeof condition.left.of === "number" && typeof condition.right.of === "number") {
    throw new FormulaError("A comparison needs a metric, not only numbers.", { from, to });
  }
  return condition;
}

/** The number that a tree without names is. */
function numberOf(tree: Tree): number | undefined {
  switch (tree.kind) {
    case "number":
      return tree.value;
    case "negate": {
      const of = numberOf(tree.of);
      return of === undefined ? undefined : -of;
    }
    case "binary": {
      const [left, right] = [numberOf(tree.left), numberOf(tree.right)];
      return left === undefined || right === undefined ? undefined : ARITHMETIC[tree.operator](left, right);
    }
    default:
      return undefined;
  }
}
