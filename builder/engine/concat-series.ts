/** Concatenates the series of consecutive time ranges. */

import { METRICS, type Metric, type MetricName, seriesOf } from "../../data-schema/metrics.ts";
import type { MetricRuns } from "./flows.ts";
import type { SeriesRun } from "./series.ts";

/** The flow series of all metrics, from those of consecutive time ranges. */
export function* concatFlows(ranges: readonly MetricRuns[]): Generator<[MetricName, SeriesRun[]]> {
  const byMetric = Map.groupBy(
    ranges.flatMap((metrics) => [...metrics]),
    ([name]) => name,
  );
  for (const metric of METRICS) {
    if (metric.kind !== "flow") continue;
    yield [
      metric.name,
      concatMetric(
        metric,
        (byMetric.get(metric.name) ?? []).map(([, runs]) => runs),
      ),
    ];
  }
}

/** The series of one metric, from those of consecutive time ranges. */
export function concatMetric(metric: Metric, ranges: readonly (readonly SeriesRun[])[]): SeriesRun[] {
  const bySelector = Map.groupBy(ranges.flat(), ({ selector }) => selector);
  return seriesOf(metric).flatMap((selector) => concatRuns(bySelector.get(selector) ?? []));
}

function concatRuns(runs: readonly SeriesRun[]): readonly SeriesRun[] {
  const [first] = runs;
  if (!first || runs.length === 1) return runs;
  return [
    {
      selector: first.selector,
      t: concat(runs.map(({ t }) => t)),
      v: concat(runs.map(({ v }) => v)),
      ...(first.block ? { block: concat(runs.map(({ block }) => block!)) } : {}),
    },
  ];
}

function concat(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((length, column) => length + column.length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}
