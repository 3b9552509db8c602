/** Metrics and selectors as links to charts name them. */

import {
  haveOwnCohorts,
  isOwnCohort,
  METRICS,
  type Metric,
  selectorIn,
  takesLots,
} from "../../data-schema/registry.ts";

const METRIC_NAMES: readonly string[] = METRICS.map(({ name }) => name);

const findDrawn = (name: string): Metric | undefined => METRICS.find((metric) => metric.name === name);

/**
 * A line that the explorer could not draw, in one sentence. It looks for no near name itself: that takes milliseconds, and
 * who asks for a card needs none.
 */
export class UnreadableLine extends Error {
  override name = "UnreadableLine";
  /** What could stand where `written` does. */
  readonly allowed: readonly string[] | undefined;
  readonly written: string | undefined;

  constructor(detail: string, allowed?: readonly string[], written?: string) {
    super(detail);
    this.allowed = allowed;
    this.written = written;
  }
}

/** @throws {UnreadableLine} there is none */
export function drawnMetric(name: string): Metric {
  const metric = findDrawn(name);
  if (metric !== undefined) return metric;
  throw new UnreadableLine("The explorer draws no such metric.", METRIC_NAMES, name);
}

/** @throws {UnreadableLine} the metric has no such selector */
export function checkSelector(metric: Metric, selector: string): void {
  if (takesLots(metric.name, selector)) return;
  const values = selectorIn(metric)?.values ?? [];
  if (isOwnCohort(selector) && haveOwnCohorts(values)) return;
  if (!values.includes(selector)) throw new UnreadableLine(`${metric.name} has no such selector.`, values, selector);
}
