/** What a table can show under a name: every metric, and every formula that has a name. */

import { lotCohortsOf } from "../registry/lots.ts";
import {
  METRICS,
  type Metric,
  type MetricName,
  metricByName,
  resolutionsOf,
  SINGLE_SERIES,
  selectorIn,
  seriesOf,
} from "../registry/metrics.ts";
import { NAMED_FORMULAS, type NamedFormula } from "../registry/named-formulas.ts";
import { haveOwnCohorts } from "../registry/own-cohorts.ts";
import type { Resolution } from "../registry/resolutions.ts";
import type { Names } from "./names.ts";
import { type Formula, readFormula } from "./resolve.ts";
import { tokenise } from "./tokens.ts";

export interface FormulaMeasure {
  name: string;
  title: string;
  description: string;
  /** The selectors of its series, `SINGLE_SERIES` alone if there is one series. */
  selectors: readonly string[];
  default: string;
  /** The cohorts of lots of which it has a series for each method that an asset has. */
  lotCohorts: readonly string[];
  resolutions: readonly Resolution[];
  /** Null of a metric. */
  formula: NamedFormula | null;
}

/** The names that formulas are made of, wherever any asset may be named. */
export const FORMULA_NAMES: Names<
  Metric & { name: MetricName; selector: { values: readonly string[]; default: string } | null }
> = {
  metrics: METRICS.map((metric) => ({ ...metric, selector: selectorIn(metric), dense: metric.shape === "sum" })),
  formulas: NAMED_FORMULAS,
  assets: null,
  asset: undefined,
};

/** A formula of the registry's metrics. */
export type RegistryFormula = Formula<(typeof FORMULA_NAMES)["metrics"][number]>;

function ofMetric(metric: Metric): FormulaMeasure {
  const { name, title, description } = metric;
  const selectors = seriesOf(metric);
  const resolutions = resolutionsOf(metric);
  return {
    name,
    title,
    description,
    selectors,
    default: selectorIn(metric)?.default ?? SINGLE_SERIES,
    lotCohorts: lotCohortsOf(name),
    resolutions,
    formula: null,
  };
}

const common = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
  lists.reduce((all, list) => all.filter((one) => list.includes(one)));

/** The resolutions at which a formula can be computed. By block, rows before the first wanted one are not read. */
export function resolutionsOfFormula({ metrics, reach }: RegistryFormula): readonly Resolution[] {
  const resolutions = common(metrics.map(resolutionsOf));
  return reach === 0 ? resolutions : resolutions.filter((resolution) => resolution !== "block");
}

function ofFormula(formula: NamedFormula): FormulaMeasure {
  const { name, title, description, text } = formula;
  const read = readFormula(text, FORMULA_NAMES);
  const { metrics } = read;
  const isFixed = tokenise(text).some((token) => token.kind === "name" && token.selector !== null);
  // A metric of one series takes no selector, so that the formula takes none either.
  const shared = isFixed || metrics.some(({ selector }) => selector === null) ? [] : common(metrics.map(seriesOf));
  return {
    name,
    title,
    description,
    selectors: shared.length === 0 ? [SINGLE_SERIES] : shared,
    default:
      shared.find((selector) => metrics.every((metric) => metric.selector?.default === selector)) ??
      shared[0] ??
      SINGLE_SERIES,
    lotCohorts: shared.length === 0 ? [] : common(metrics.map(({ name }) => lotCohortsOf(name))),
    resolutions: resolutionsOfFormula(read),
    formula,
  };
}

/** All of them: metrics in the order of the registry, then formulas. */
export const MEASURES: readonly FormulaMeasure[] = [...METRICS.map(ofMetric), ...NAMED_FORMULAS.map(ofFormula)];

const byName = new Map(MEASURES.map((measure) => [measure.name, measure]));

export const findMeasure = (name: string): FormulaMeasure | undefined => byName.get(name);

/** Whether a measure has a series for each own cohort of an asset. */
export const measuresOwnCohorts = ({ selectors }: FormulaMeasure): boolean => haveOwnCohorts(selectors);

/** The metric of a measure that is one. */
export const metricOf = ({ name }: FormulaMeasure): Metric & { name: MetricName } => metricByName(name as MetricName);
