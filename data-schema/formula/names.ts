/** What the names in a formula refer to. */

import { takesLots } from "../registry/lots.ts";
import type { NamedFormula } from "../registry/named-formulas.ts";
import type { NaturalLook } from "../registry/natural-looks.ts";
import { haveOwnCohorts, isOwnCohort } from "../registry/own-cohorts.ts";
import { FormulaError, UnknownName } from "./formula-error.ts";
import type { NameToken } from "./tokens.ts";
import type { FormulaUnit } from "./units.ts";

/** What a formula needs to know of a metric. */
export interface FormulaMetric {
  name: string;
  unit: FormulaUnit;
  selector: { values: readonly string[]; default: string } | null;
  /** The metric's kind, as in the registry. */
  kind?: "flow" | "state" | "price";
  /** Whether it is a sum, and not a ratio. */
  dense?: boolean;
  /** Whether each bucket counts anew, so that buckets do not add up. */
  countsAnew?: boolean;
  look?: NaturalLook;
}

/** What the names in a formula refer to. */
export interface Names<M extends FormulaMetric = FormulaMetric> {
  metrics: readonly M[];
  formulas: readonly NamedFormula[];
  /** Symbols; null where any may be named. */
  assets: readonly string[] | null;
  /** The symbol of every series that names no other. */
  asset: string | undefined;
}

/** What a named formula passes on to the names in it. */
export interface GivenSelector {
  asset: string | null;
  selector: string | null;
}

/** Runs a step for a name. What is wrong within a named formula is shown at its name. */
export function at<T>(token: NameToken, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof FormulaError) throw error.at(token);
    throw error;
  }
}

/**
 * The selector of a series that a name stands for; null of a metric with a single series.
 *
 * @throws {FormulaError} the metric has no such selector
 */
export function chosenSelector(metric: FormulaMetric, wanted: string | null, token: NameToken): string | null {
  // Whether there are lots, the asset's operator says.
  if (wanted !== null && takesLots(metric.name, wanted)) return wanted;
  if (metric.selector === null) {
    if (wanted === null) return null;
    throw new FormulaError(`${metric.name} has a single series, so it takes no selector.`, token.spans.selector);
  }
  const { values, default: usual } = metric.selector;
  if (wanted === null) return usual;
  const selector =
    values.find((value) => value === wanted) ?? values.find((value) => value.toLowerCase() === wanted.toLowerCase());
  if (selector !== undefined) return selector;
  // Which there are, the asset's operator says.
  if (isOwnCohort(wanted) && haveOwnCohorts(values)) return wanted;
  throw new UnknownName(`${metric.name} has no selector ${wanted}.`, token.spans.selector, wanted, values);
}

/** What a name that is no function's stands for; both undefined if nothing. */
export function nameMeaning<M extends FormulaMetric>({ name }: NameToken, { metrics, formulas }: Names<M>) {
  const wanted = name.toLowerCase();
  const metric = metrics.find((one) => one.name === wanted);
  return { metric, formula: metric ? undefined : formulas.find((one) => one.name === wanted) };
}
