/** New points put after those that are published already. */

import { type MetricName, metricByName } from "../../data-schema/metrics.ts";
import { concatMetric } from "../engine/concat-series.ts";
import type { MetricRuns } from "../engine/flows.ts";
import type { SeriesRun } from "../engine/series.ts";
import { decodeSeries } from "./decode.ts";

/** The objects of a period as they are published. */
export interface Earlier {
  /** Their points before this time stay, Unix seconds. */
  until: number;
  objects: Partial<Record<MetricName, Uint8Array>>;
}

/** Each metric's series with what was published of them before. */
export function* follow({ until, objects }: Earlier, metrics: MetricRuns): Generator<[MetricName, SeriesRun[]]> {
  const shared = new SharedColumns();
  for (const [name, runs] of metrics) {
    const object = objects[name];
    const kept = object ? decodeSeries(object).flatMap((run) => pointsBefore(run, until)) : [];
    const joined = concatMetric(metricByName(name), [kept, runs]);
    yield [name, joined.map((run) => shared.share(run))];
  }
}

function pointsBefore(run: SeriesRun, until: number): SeriesRun[] {
  let count = run.t.length;
  while (count > 0 && run.t[count - 1] >= until) count--;
  if (count === 0) return [];
  const { selector, t, v, block } = run;
  const cut = (column: Float64Array) => column.subarray(0, count);
  return [{ selector, t: cut(t), v: cut(v), ...(block ? { block: cut(block) } : {}) }];
}

/** Metrics that have their points at the same places are given the same arrays: these are encoded once. */
class SharedColumns {
  readonly #byLength = new Map<number, Float64Array[]>();

  share(run: SeriesRun): SeriesRun {
    return { ...run, t: this.#one(run.t), ...(run.block ? { block: this.#one(run.block) } : {}) };
  }

  #one(column: Float64Array): Float64Array {
    const alike = this.#byLength.get(column.length);
    if (!alike) {
      this.#byLength.set(column.length, [column]);
      return column;
    }
    const same = alike.find((other) => Buffer.compare(bytesOf(other), bytesOf(column)) === 0);
    if (!same) alike.push(column);
    return same ?? column;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) => new Uint8Array(buffer, byteOffset, byteLength);
