/**
 * Checks the series of own cohorts: an object has one of each metric. Source: docs/methodology.md §10.
 */

import {
  type MetricName,
  OWN_METRICS,
  type OwnCohort,
  type Resolution,
  SINGLE_SERIES,
  selectorIn,
} from "../../../data-schema/registry.ts";
import type { Series } from "../../engine/series.ts";
import { type Bounds, pointProblems } from "./check-points.ts";
import { EQUATIONS, selectorsIn } from "./rules/equations.ts";
import type { SeriesByMetric } from "./rules/series-columns.ts";

/** A sentence for each problem with the points of an object, without its name. */
export function ownProblems(
  cohort: OwnCohort,
  resolution: Resolution,
  series: readonly Series[],
  bounds: Bounds,
): string[] {
  const order = OWN_METRICS.map(({ name }) => name as string);
  const problems: string[] = [];
  let before = -1;
  for (const run of series) {
    const index = order.indexOf(run.selector);
    if (index < 0) {
      problems.push(`it has ${run.selector}, which takes no own cohorts`);
      continue;
    }
    if (index <= before) problems.push(`${run.selector} is not in the order of the registry`);
    before = Math.max(before, index);
    const named = [{ ...run, selector: cohort }];
    for (const problem of pointProblems(OWN_METRICS[index]!, resolution, named, bounds, [cohort])) {
      problems.push(`${run.selector}: ${problem}`);
    }
  }
  return problems;
}

/** The series by metric, each in the place of the metric's default, so that it can be compared as that is. */
export function asDefaults(series: readonly Series[]): SeriesByMetric {
  const found = new Map(series.map((run) => [run.selector, run]));
  return new Map(
    OWN_METRICS.map((metric): [MetricName, Map<string, Series>] => {
      const { default: selector } = selectorIn(metric)!;
      const run = found.get(metric.name);
      return [metric.name, new Map(run ? [[selector, { ...run, selector }]] : [])];
    }),
  );
}

/** The equations of one cohort: an own cohort keeps those of `total` that need no other series. */
export const OWN_EQUATIONS = EQUATIONS.filter((equation) =>
  selectorsIn(equation).every((selector) => selector === SINGLE_SERIES),
);
