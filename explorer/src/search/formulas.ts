/** Finds named formulas by words. */

import { FormulaError } from "../../../data-schema/formula.ts";
import type { NamedFormula } from "../../../data-schema/registry.ts";
import type { Context } from "../api/catalog.ts";
import { formulaOf } from "../lines/formula-line.ts";
import { rankOf, wordsOf } from "./words.ts";

/** @returns the formulas that the catalog has the metrics for, the best matches first; all of them for no words */
export function searchFormulas(words: string, context: Context): { formula: NamedFormula; rank: number }[] {
  const wanted = wordsOf(words);
  return context.catalog.formulas
    .filter(({ name }) => !(formulaOf(name, context) instanceof FormulaError))
    .map((formula) => ({ formula, rank: rankOf(wanted, [formula.title, formula.name, formula.description]) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank);
}
