import { METRICS, type Metric, type MetricName, seriesOf } from "../../data-schema/metrics.ts";
import type { MetricRuns } from "./flows.ts";
import type { SeriesRun } from "./series.ts";

/** Puts the flow series of consecutive stretches of time, in their order, one after the other. */
export function* joinRuns(stretches: readonly MetricRuns[]): Generator<[MetricName, SeriesRun[]]> {
  const parts = new Map<MetricName, (readonly SeriesRun[])[]>();
  for (const metrics of stretches) {
    for (const [metric, runs] of metrics) {
      const earlier = parts.get(metric);
      if (earlier) earlier.push(runs);
      else parts.set(metric, [runs]);
    }
  }
  for (const metric of METRICS) {
    if (metric.kind === "flow") yield [metric.name, joinMetric(metric, parts.get(metric.name) ?? [])];
  }
}

/** Puts the series of one metric, of consecutive stretches of time, one after the other. */
export function joinMetric(metric: Metric, stretches: readonly (readonly SeriesRun[])[]): SeriesRun[] {
  const parts = new Map<string, SeriesRun[]>();
  for (const run of stretches.flat()) {
    const earlier = parts.get(run.selector);
    if (earlier) earlier.push(run);
    else parts.set(run.selector, [run]);
  }
  return seriesOf(metric).flatMap((selector) => {
    const series = parts.get(selector);
    return series ? [joinSeries(series)] : [];
  });
}

function joinSeries(parts: readonly SeriesRun[]): SeriesRun {
  const [first] = parts;
  if (parts.length === 1) return first;
  const column = (of: (run: SeriesRun) => Float64Array) => join(parts.map(of));
  return {
    selector: first.selector,
    t: column(({ t }) => t),
    v: column(({ v }) => v),
    ...(first.block ? { block: column(({ block }) => block!) } : {}),
  };
}

function join(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
