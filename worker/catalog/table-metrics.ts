/** GET /v3/metrics and /v3/metrics/<metric>: every metric of the registry, as GET /v3/series serves it. */

import { type FormulaMeasure, MEASURES } from "../../data-schema/formula.ts";
import {
  divisionOf,
  LOT_METHODS,
  lotCohortsOf,
  lotSelector,
  METRIC_GROUPS,
  METRICS,
  type Metric,
  type MetricName,
  metricByName,
  resolutionsOf,
  type Selector,
  SIGNS,
  selectorIn,
} from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";
import { TABLE_PARAMETERS, type TableParameter } from "../request/parameters/table-parameters.ts";
import { selectorEntry } from "./v1-metrics.ts";

/** Whether a parameter describes the series; the key does not. */
export const describesTable = ({ name }: Pick<TableParameter<string>, "name">): boolean => name !== "api_key";

/** The catalog of all metrics. */
export function tableMetricCatalog() {
  return {
    version: "v3",
    groups: Object.entries(METRIC_GROUPS).map(([name, title]) => ({ name, title })),
    signs: Object.entries(SIGNS).map(([sign, meaning]) => ({ sign, meaning })),
    // JSON leaves out the undefined members.
    parameters: TABLE_PARAMETERS.filter(describesTable).map(
      ({ name, title, description, required, values, forms, default: preset }) => ({
        ...{ name, title, description, required, forms, default: preset },
        // The values of m and c follow from the metrics.
        values: name === "m" || name === "c" ? undefined : values,
      }),
    ),
    metrics: METRICS.map(tableMetricEntry),
    formulas: MEASURES.flatMap(formulaEntry),
  };
}

/** A named formula's entry; none of a metric. */
function formulaEntry({ lotCohorts, ...measure }: FormulaMeasure) {
  const { name, title, description, selectors, default: preset, resolutions, formula } = measure;
  if (formula === null) return [];
  const selector = selectors.length === 1 ? null : { default: preset, values: selectors };
  const { text, isShare, look } = formula;
  return [
    {
      name,
      title,
      description,
      formula: text,
      isShare: isShare ?? false,
      look,
      resolutions,
      selector,
      lots: lotsEntry(lotCohorts),
    },
  ];
}

/** The selectors of lots, in parts; none where nothing is computed of lots. */
const lotsEntry = (cohorts: readonly string[]) =>
  cohorts.length === 0
    ? undefined
    : { methods: LOT_METHODS, cohorts: cohorts.filter((cohort) => lotSelector("fifo", cohort) !== "fifo") };

/** One metric's entry. */
export function tableMetricEntry(metric: Metric & { name: MetricName }) {
  const { name, title, group, unit, description, formula, kind, shape, countsAnew, look } = metric;
  const selector = selectorIn(metric);
  return {
    ...{ name, title, group, unit, description, formula, kind, dense: shape === "sum", countsAnew, look },
    resolutions: resolutionsOf(metric),
    // v3 has one parameter for cohorts, exchanges and transfer samples.
    selector: selector && tableSelectorEntry(metric, selector),
    lots: lotsEntry(lotCohortsOf(name)),
  };
}

/** What the catalog of v3 says of a selector: also how each family divides the metric. */
function tableSelectorEntry(metric: Metric, selector: Selector) {
  const { families, ...entry } = selectorEntry({ ...selector, parameter: "c" });
  const divisions = new Map(selector.families.map((one) => [one.title, divisionOf(metric, selector, one)]));
  return { ...entry, families: families.map((one) => ({ ...one, division: divisions.get(one.title) ?? null })) };
}

/**
 * The metric with a name.
 *
 * @throws {Problem} 404 unknown-metric
 */
export function knownMetric(name: string): Metric & { name: MetricName } {
  const names = METRICS.map((metric) => metric.name);
  const known = names.find((candidate) => candidate === name);
  if (known !== undefined) return metricByName(known);
  throw new Problem("unknown-metric", "v3 has no such metric.", { allowed: names, suggestion: nearest(name, names) });
}
