/** Metrics and selectors as links to charts name them. */

import { METRICS, type Metric, selectorOf } from "../../data-schema/metrics.ts";
import { Problem } from "../problems/problem.ts";
import { nearest } from "../request/nearest.ts";

export const METRIC_NAMES: readonly string[] = METRICS.map(({ name }) => name);

export const findDrawn = (name: string): Metric | undefined => METRICS.find((metric) => metric.name === name);

/** @throws {Problem} 400 there is none */
export function drawnMetric(name: string): Metric {
  const metric = findDrawn(name);
  if (metric !== undefined) return metric;
  throw refused("The explorer draws no such metric.", METRIC_NAMES, nearest(name, METRIC_NAMES));
}

/** @throws {Problem} 400 the metric has no such selector */
export function checkSelector(metric: Metric, selector: string): void {
  const values = selectorOf(metric)?.values ?? [];
  if (values.includes(selector)) return;
  throw refused(`${metric.name} has no such selector.`, values, nearest(selector, values));
}

/** A line that the explorer could not draw. */
export function refused(detail: string, allowed?: readonly string[], suggestion?: string): Problem {
  return new Problem("invalid-parameter", detail, { parameter: "series", allowed, suggestion });
}
