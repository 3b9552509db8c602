import { METRICS, type MetricName, seriesOf } from "../../data-schema/metrics.ts";
import type { MetricRuns } from "./flows.ts";
import type { SeriesRun } from "./series.ts";

/** Puts the series of consecutive stretches of time, in their order, one after the other. Not for block series. */
export function* joinRuns(stretches: readonly MetricRuns[]): Generator<[MetricName, SeriesRun[]]> {
  const parts = new Map<string, SeriesRun[]>();
  for (const metrics of stretches) {
    for (const [metric, runs] of metrics) {
      for (const run of runs) {
        const key = `${metric}|${run.selector}`;
        const earlier = parts.get(key);
        if (earlier) earlier.push(run);
        else parts.set(key, [run]);
      }
    }
  }
  for (const metric of METRICS) {
    if (metric.kind !== "flow") continue;
    const runs = seriesOf(metric).flatMap((selector): SeriesRun[] => {
      const series = parts.get(`${metric.name}|${selector}`);
      return series ? [{ selector, t: join(series.map(({ t }) => t)), v: join(series.map(({ v }) => v)) }] : [];
    });
    yield [metric.name, runs];
  }
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
