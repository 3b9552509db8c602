/** Concatenates the series of consecutive time ranges. */

import { METRICS, type Metric, type MetricName, seriesOf } from "../../../data-schema/registry.ts";
import { concat } from "../../lib/columns/concat.ts";
import type { MetricSeries } from "../flows.ts";
import type { Series } from "../series.ts";

/** The flow series of all metrics, from those of consecutive time ranges. */
export function* concatFlows(ranges: readonly MetricSeries[]): Generator<[MetricName, Series[]]> {
  const metrics = ranges.flatMap((range) => [...range]);
  const byMetric = Map.groupBy(metrics, ([name]) => name);
  for (const metric of METRICS) {
    if (metric.kind !== "flow") continue;
    const runs = (byMetric.get(metric.name) ?? []).map(([, runs]) => runs);
    yield [metric.name, concatMetric(metric, runs)];
  }
}

/** The series of one metric, from those of consecutive time ranges. */
export function concatMetric(metric: Metric, ranges: readonly (readonly Series[])[]): Series[] {
  return concatSeries(seriesOf(metric), ranges);
}

/** The series of some selectors, in their order, from those of consecutive time ranges. */
export function concatSeries(selectors: readonly string[], ranges: readonly (readonly Series[])[]): Series[] {
  const bySelector = Map.groupBy(ranges.flat(), ({ selector }) => selector);
  return selectors.flatMap((selector) => concatRuns(bySelector.get(selector) ?? []));
}

function concatRuns(series: readonly Series[]): readonly Series[] {
  const [first] = series;
  if (!first || series.length === 1) return series;
  const column = (name: "t" | "v" | "block") => concat(series.map((run) => run[name]!));
  const block = first.block && { block: column("block") };
  return [{ selector: first.selector, t: column("t"), v: column("v"), ...block }];
}
