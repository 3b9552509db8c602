/** Finds named formulas by words. */

import { type Formula, FormulaError, selectorText } from "../../../data-schema/formula.ts";
import type { NamedFormula } from "../../../data-schema/registry.ts";
import type { CatalogMetric, Context } from "../api/catalog.ts";
import { selectorName } from "../format/names.ts";
import { formulaOf } from "../lines/formula-line.ts";
import { valueNamedBy } from "./search.ts";
import { rankOf, wordsOf } from "./words.ts";

/** The rank of what a term means, before the metrics that it is made of. */
const MEANT = -1;
/** Further down than what the words match without a cohort or an exchange. */
const OF_VALUE = 4;

/** @returns the formulas that the catalog has the metrics for, the best matches first; all of them for no words */
export function searchFormulas(words: string, context: Context): { formula: NamedFormula; rank: number }[] {
  const wanted = wordsOf(words);
  return context.catalog.formulas
    .flatMap((formula) => {
      const read = formulaOf(formula.name, context);
      return read instanceof FormulaError ? [] : found(formula, read, wanted, context);
    })
    .sort((a, b) => a.rank - b.rank);
}

/**
 * A formula that words match, those of a term that means it before all others. One that names a cohort or an exchange is of
 * that: `netflow:binance`.
 */
function found(
  formula: NamedFormula,
  { metrics }: Formula<CatalogMetric>,
  wanted: readonly string[],
  { catalog, asset, ...context }: Context,
): { formula: NamedFormula; rank: number }[] {
  const places = [formula.title, formula.name, formula.description];
  const named = catalog.terms
    .filter((term) => term.formula === formula.name)
    .flatMap(({ names }) => names.map(wordsOf));
  if (named.some((words) => words.join(" ") === wanted.join(" "))) return [{ formula, rank: MEANT }];
  const plain = rankOf(wanted, places);
  if (plain < Number.POSITIVE_INFINITY) return [{ formula, rank: plain }];
  const [metric] = metrics;
  const isOf = (others: readonly string[]) => metric && others.length > 0 && valueNamedBy(others, metric, asset);
  const meant = named
    .filter((words) => words.every((word) => wanted.includes(word)))
    .map((words) => isOf(wanted.filter((word) => !words.includes(word))))
    .find(Boolean);
  const value = meant || isOf(wanted.filter((word) => rankOf([word], places) === Number.POSITIVE_INFINITY));
  if (!value) return [];
  const name = `${formula.name}:${selectorText(value)}`;
  if (formulaOf(name, { catalog, asset, ...context }) instanceof FormulaError) return [];
  const title = `${formula.title}, ${selectorName(value, asset)}`;
  return [{ formula: { ...formula, name, title }, rank: meant ? MEANT : OF_VALUE + wanted.length }];
}
