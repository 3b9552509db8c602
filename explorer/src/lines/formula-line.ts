/** A line that is computed from series. In a link: `=` and the formula. */

import { errorText } from "../../../data-schema/formula/error-text.ts";
import {
  ConstantFormula,
  type Formula,
  FormulaError,
  type Names,
  readFormula,
  type SeriesRef,
} from "../../../data-schema/formula.ts";
import type { NamedFormula } from "../../../data-schema/registry.ts";
import { type Catalog, type CatalogMetric, type Context, findAsset, findFormula, namesLots } from "../api/catalog.ts";
import { Problem } from "../api/problem.ts";
import type { LineKind } from "./line-kind.ts";

export interface FormulaLine {
  kind: "formula";
  /** The formula as the user wrote it; it may be wrong. */
  text: string;
  /** What it is called in place of its text; in a link, `names` has it. */
  name?: string;
}

export const FORMULA_LINE: LineKind<FormulaLine> = {
  parse: (text) => (text.startsWith("=") ? { kind: "formula", text: text.slice(1).trim() } : undefined),

  format: ({ text }) => `=${text}`,

  // Series of the chart's asset may name it; that changes nothing.
  within: (line) => line,

  curves({ text, name }, context) {
    const formula = formulaOf(text, context);
    const unread = { unit: "ratio" as const, look: null, metrics: [] };
    const { unit, look, metrics } = formula instanceof FormulaError ? unread : formula;
    return [{ name: name ?? titleOf(text, context.catalog), code: text, unit, look, metrics }];
  },

  computations({ text }, context) {
    const formula = formulaOf(text, context);
    return formula instanceof FormulaError ? [] : [formula];
  },

  problem({ text }, context) {
    const formula = formulaOf(text, context);
    return formula instanceof FormulaError ? new Problem("formula", "Formula can't be read", errorText(formula)) : null;
  },
};

const BARE_NAME = /^(?:([^:.]+)\.)?(\w+)$/;

/** The named formula that a text consists of, of the chart's asset or of another one. */
export function namedOf(
  text: string,
  catalog: Catalog,
): { named: NamedFormula; asset: string | undefined } | undefined {
  const [, asset, name = ""] = BARE_NAME.exec(text) ?? [];
  const named = findFormula(catalog, name.toLowerCase());
  return named && { named, asset: asset?.replaceAll(/["']/g, "") };
}

/** `MVRV`, `DUET MVRV` or, of a formula without a name, its text. */
function titleOf(text: string, catalog: Catalog): string {
  const { named, asset } = namedOf(text, catalog) ?? {};
  return named ? [asset, named.title].filter(Boolean).join(" ") : text;
}

/** What the names in a formula refer to. */
export const namesOf = ({ catalog: { metrics, formulas, assets }, asset }: Context): Names<CatalogMetric> => ({
  metrics,
  formulas,
  assets: assets.map(({ symbol }) => symbol),
  asset: asset?.symbol,
});

/** The number that a formula of no series is; null of any other text. */
export function constantOf(text: string, context: Context): number | null {
  const formula = formulaOf(text, context);
  return formula instanceof ConstantFormula && Number.isFinite(formula.value) ? formula.value : null;
}

/** Whether a series is of lots that its asset does not have. */
function lacksLots({ asset: symbol, selector }: SeriesRef, { catalog }: Context): boolean {
  if (selector === null || !namesLots(selector)) return false;
  const methods: readonly string[] = findAsset(catalog, symbol)?.lots ?? [];
  return !methods.includes(selector.split(".")[0]!);
}

/** The formula of a text, or what is wrong with it. */
export function formulaOf(text: string, context: Context): Formula<CatalogMetric> | FormulaError {
  try {
    const formula = readFormula(text, namesOf(context));
    const lacking = formula.inputs.find((input) => lacksLots(input, context));
    if (!lacking) return formula;
    const { asset, selector } = lacking;
    return new FormulaError(`${asset} has no lots by ${selector!.split(".")[0]}.`, { from: 0, to: text.length });
  } catch (error) {
    if (error instanceof FormulaError) return error;
    throw error;
  }
}
