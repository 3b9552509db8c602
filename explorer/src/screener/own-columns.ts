/** What a person types above the table of assets: a formula becomes a column, a comparison a filter. Pure. */

import { type Formula, FormulaError, type Names, readCondition, readFormula } from "../../../data-schema/formula.ts";
import { isLotSelector, isOwnCohort, methodOf, type NamedFormula, PLAIN } from "../../../data-schema/registry.ts";
import { SCREENER_COLUMNS, type ScreenerColumn } from "../../../data-schema/stored.ts";
import type { Asset, Catalog, CatalogMetric } from "../api/catalog.ts";
import { namedOf, namesOf } from "../lines/formula-line.ts";
import type { RowCondition } from "./screener-rows.ts";

/** What a text adds to the table. */
export type Addition = { kind: "column"; column: ScreenerColumn } | { kind: "condition"; condition: RowCondition };

/** A name before a formula, as `x` of the API takes it: `z = mvrv_zscore`. */
const NAMED = /^\s*([A-Za-z_]\w{0,63})\s*=\s*(?=\S)/;

const named = ({ name, title, formula, description }: ScreenerColumn): NamedFormula => ({
  name,
  title,
  text: formula,
  description,
  // No table draws it.
  look: PLAIN,
});

/**
 * Reads a formula, perhaps with a name, or a comparison.
 *
 * @param own the columns that there are beside the table's own; comparisons may name them
 * @returns what is wrong with the text, if so: with the comparison, where it could be one
 */
export function readAddition(text: string, catalog: Catalog, own: readonly ScreenerColumn[]): Addition | FormulaError {
  const column = readColumn(text, catalog);
  if (!(column instanceof FormulaError)) return { kind: "column", column };
  const condition = readRowCondition(text, catalog, own);
  if (!(condition instanceof FormulaError)) return { kind: "condition", condition };
  return /^[<>≤≥]/.test(text.slice(column.span.from)) ? condition : column;
}

/** The column of a formula, whose name is what the link and the API call it. */
export function readColumn(text: string, catalog: Catalog): ScreenerColumn | FormulaError {
  const [begin = "", name] = NAMED.exec(text) ?? [];
  const own = text.slice(begin.length).trim();
  const found = knownColumn(own);
  if (found && name === undefined) return found;
  const formula = orError(() => readFormula(found?.formula ?? own, namesIn(catalog)), begin.length);
  if (formula instanceof FormulaError) return formula;
  const { title, description } = aboutFormula(own, catalog, formula);
  return {
    name: name ?? own,
    title: name ?? title,
    description,
    formula: found?.formula ?? own,
    unit: formula.unit,
    // A price is compared with others by its change in per cent.
    isFraction: formula.unit === "usd_per_token",
  };
}

/** The condition of a comparison. */
export function readRowCondition(
  text: string,
  catalog: Catalog,
  own: readonly ScreenerColumn[],
): RowCondition | FormulaError {
  const names = namesIn(catalog);
  // A name that has a meaning without the table keeps it.
  const columns = [...SCREENER_COLUMNS, ...own].filter(({ name, formula }) => name !== formula).map(named);
  const condition = orError(() => {
    const { left, comparison, right } = readCondition(text, {
      ...names,
      formulas: [...names.formulas, ...columns],
    });
    const sides = [left, right].map(({ text: side, of }) => {
      if (typeof of === "number") return of;
      const column = own.find(({ name }) => name === side) ?? readColumn(side, catalog);
      // The API knows no names of columns within a formula.
      if (column instanceof FormulaError)
        throw column.at({ from: text.indexOf(side), to: text.indexOf(side) + side.length });
      return column;
    });
    return { left: sides[0]!, comparison, right: sides[1]! };
  });
  return condition;
}

/**
 * Which assets can't have a column: they lack own cohorts or lots that it names. If all lack them, none is said to: the API
 * says what is wrong.
 */
export function assetsLacking({ formula }: ScreenerColumn, catalog: Catalog): (asset: string) => boolean {
  const { inputs } = readFormula(formula, namesIn(catalog));
  const selectors = inputs.flatMap(({ asset, selector }) => (asset === "" && selector !== null ? [selector] : []));
  const lacks = ({ cohorts = [], lots = [] }: Asset) =>
    selectors.some((selector) =>
      isLotSelector(selector)
        ? !lots.includes(methodOf(selector))
        : isOwnCohort(selector) && !cohorts.some((one) => one.selector === selector),
    );
  const lacking = new Set(catalog.assets.filter(lacks).map(({ symbol }) => symbol));
  return (asset) => lacking.size < catalog.assets.length && lacking.has(asset);
}

/** A column that every asset's row has, by its name or its formula. */
function knownColumn(text: string): ScreenerColumn | undefined {
  const plain = text.replaceAll(/\s+/g, "").toLowerCase();
  return SCREENER_COLUMNS.find(({ name, formula }) => name === plain || formula.replaceAll(/\s+/g, "") === plain);
}

/** No asset is the one that names are of: each formula is computed for each asset. */
const namesIn = (catalog: Catalog): Names<CatalogMetric> => namesOf({ catalog, asset: undefined });

function aboutFormula(text: string, catalog: Catalog, { metrics }: Formula<CatalogMetric>) {
  const named = namedOf(text, catalog)?.named ?? metrics.find(({ name }) => name === text);
  return named ?? { title: text, description: `A formula of ${metrics.map(({ title }) => title).join(", ")}.` };
}

function orError<T>(read: () => T, offset = 0): T | FormulaError {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    return offset === 0 ? error : error.at({ from: error.span.from + offset, to: error.span.to + offset });
  }
}
