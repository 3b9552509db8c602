/** Appends new points to those that are already published. */

import { type MetricName, metricByName } from "../../data-schema/metrics.ts";
import { concatMetric } from "../engine/concat-series.ts";
import type { MetricRuns } from "../engine/flows.ts";
import type { SeriesRun } from "../engine/series.ts";
import { decodeSeries } from "./decode.ts";

/** The published objects of a period. */
export interface PublishedPoints {
  /** Their points before this time are kept, Unix seconds. */
  until: number;
  objects: Partial<Record<MetricName, Uint8Array>>;
}

/** Each metric's series: the published points before `until`, then the new ones. */
export function* append(
  { until, objects }: PublishedPoints,
  metrics: MetricRuns,
): Generator<[MetricName, SeriesRun[]]> {
  const shared = new SharedColumns();
  for (const [name, runs] of metrics) {
    const object = objects[name];
    const kept = object ? decodeSeries(object).flatMap((run) => pointsBefore(run, until)) : [];
    const joined = concatMetric(metricByName(name), [kept, runs]);
    yield [name, joined.map((run) => shared.share(run))];
  }
}

function pointsBefore({ selector, t, v, block }: SeriesRun, until: number): SeriesRun[] {
  const count = t.findLastIndex((time) => time < until) + 1;
  if (count === 0) return [];
  const cut = (column: Float64Array) => column.subarray(0, count);
  return [{ selector, t: cut(t), v: cut(v), ...(block ? { block: cut(block) } : {}) }];
}

/** Gives runs with equal times, or equal blocks, the very same arrays, which are then encoded only once. */
class SharedColumns {
  readonly #byLength = new Map<number, Float64Array[]>();

  share(run: SeriesRun): SeriesRun {
    return { ...run, t: this.#one(run.t), ...(run.block ? { block: this.#one(run.block) } : {}) };
  }

  #one(column: Float64Array): Float64Array {
    const known = this.#byLength.get(column.length) ?? [];
    const same = known.find((other) => Buffer.compare(bytesOf(other), bytesOf(column)) === 0);
    if (same) return same;
    this.#byLength.set(column.length, [...known, column]);
    return column;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) => new Uint8Array(buffer, byteOffset, byteLength);
