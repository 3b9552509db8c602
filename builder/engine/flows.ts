/**
 * Flow series of a stretch of time: events added up per bucket, in event order, so that the sums depend on nothing
 * but the events. Source: methodology §5 and §6.
 */

import { type Metric, type MetricName, metricByName, seriesOf } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { FlowSums, ROWS, rowOf } from "./flow-sums.ts";
import { FLOW_FORMULAS, type FlowFormula, type FlowMetricName } from "./formulas.ts";
import type { SeriesRun } from "./series.ts";
import { isPoint, type RowHistory, SumHistories } from "./sum-histories.ts";
import { bucketRange, firstRowAt, type Timeline } from "./timeline.ts";

/** A stretch of time [from, to), Unix seconds. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * The series of each metric, selectors in registry order; those without a point are left out. Made as they are asked
 * for, a metric at a time: all at once would be several times the size of what they are made from.
 */
export type MetricRuns = Iterable<[metric: MetricName, runs: SeriesRun[]]>;

/**
 * Hour and day series of a stretch that begins and ends with a day. Days are added up from their hours, whether or
 * not hours are published, so that the one does not change the other.
 */
export function hourAndDayFlows(
  timeline: Timeline,
  { from, to }: Stretch,
  metrics: readonly FlowMetricName[],
): { hour: MetricRuns; day: MetricRuns } {
  const hours = historiesOf(metrics);
  const days = historiesOf(metrics);
  const lastHour = bucketRange(timeline, "hour")?.last ?? Number.NEGATIVE_INFINITY;
  const lastDay = bucketRange(timeline, "day")?.last ?? Number.NEGATIVE_INFINITY;
  const end = Math.min(to, lastHour + BUCKET_SECONDS.hour);
  const { timestamp } = timeline.history;

  const hourSums = new FlowSums();
  const daySums = new FlowSums();
  let hour = from;
  let day = from;
  const closeHour = () => {
    hours.append((hour - from) / BUCKET_SECONDS.hour, hourSums);
    daySums.addAll(hourSums);
    hourSums.clear();
  };
  const closeDay = () => {
    if (day <= lastDay) days.append((day - from) / BUCKET_SECONDS.day, daySums);
    daySums.clear();
  };
  const [first, last] = rowsBetween(timeline, from, end);
  for (let row = first; row < last; row++) {
    if (timestamp[row] >= hour + BUCKET_SECONDS.hour) {
      closeHour();
      hour = Math.floor(timestamp[row] / BUCKET_SECONDS.hour) * BUCKET_SECONDS.hour;
      if (hour >= day + BUCKET_SECONDS.day) {
        closeDay();
        day = Math.floor(hour / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
      }
    }
    hourSums.add(timeline, row);
  }
  closeHour();
  closeDay();

  const starts = (step: number) =>
    Float64Array.from({ length: Math.max(0, Math.ceil((end - from) / step)) }, (_, bucket) => from + bucket * step);
  return {
    hour: collect(hours, metrics, { t: starts(BUCKET_SECONDS.hour) }),
    day: collect(days, metrics, { t: starts(BUCKET_SECONDS.day) }),
  };
}

/** Block series of a stretch. */
export function blockFlows(timeline: Timeline, { from, to }: Stretch, metrics: readonly FlowMetricName[]): MetricRuns {
  const histories = historiesOf(metrics);
  const firstRows = forEachBlock(timeline, from, to, (ordinal, sums) => histories.append(ordinal, sums));
  const { block, timestamp } = timeline.history;
  return collect(histories, metrics, { t: pick(timestamp, firstRows), block: pick(block, firstRows) });
}

/** Rows of the densest block series of a stretch. */
export function densestBlockSeries(timeline: Timeline, { from, to }: Stretch): number {
  const counts = new Uint32Array(ROWS);
  forEachBlock(timeline, from, to, (_, { used, usedCount }) => {
    for (let i = 0; i < usedCount; i++) counts[used[i]]++;
  });
  return Math.max(...counts);
}

/**
 * Adds up each block of a stretch in which something counts.
 *
 * @param close takes the sums of a block, the ordinal-th
 * @returns the first row of each
 */
function forEachBlock(
  timeline: Timeline,
  from: number,
  to: number,
  close: (ordinal: number, sums: FlowSums) => void,
): Uint32Array {
  const { block } = timeline.history;
  const sums = new FlowSums();
  const [first, last] = rowsBetween(timeline, from, to);
  const firstRows = new Uint32Array(last - first);
  let blocks = 0;
  for (let row = first; row < last; row++) {
    if (timeline.tokens[row] === 0) continue;
    if (blocks === 0 || block[row] !== block[firstRows[blocks - 1]]) {
      if (blocks > 0) close(blocks - 1, sums);
      sums.clear();
      firstRows[blocks++] = row;
    }
    sums.add(timeline, row);
  }
  if (blocks > 0) close(blocks - 1, sums);
  return firstRows.subarray(0, blocks);
}

/** The rows [first, last) between two times that may count. */
function rowsBetween({ history, firstRow, endRow }: Timeline, from: number, to: number): [number, number] {
  const first = Math.max(firstRowAt(history, from), firstRow);
  return [first, Math.max(first, Math.min(firstRowAt(history, to), endRow))];
}

/** Room for the sums that the metrics read. */
function historiesOf(metrics: readonly FlowMetricName[]): SumHistories {
  const wanted = new Set(
    metrics.flatMap((name) => seriesOf(metricByName(name)).map((selector) => sumsOf(name, selector))),
  );
  return new SumHistories((row) => wanted.has(row));
}

/** The number of the row of sums that a series is made of. */
const sumsOf = (metric: FlowMetricName, selector: string) => rowOf(FLOW_FORMULAS[metric][0], selector);

/** Times, and at block resolution numbers, of the buckets by ordinal. */
interface BucketAxis {
  t: Float64Array;
  block?: Float64Array;
}

/** Sums → the series of each metric. */
function* collect(
  { rows }: SumHistories,
  metrics: readonly FlowMetricName[],
  axis: BucketAxis,
): Generator<[MetricName, SeriesRun[]]> {
  const axes = rows.map((row) => row && new SharedAxis(row.buckets.subarray(0, row.length), axis));
  for (const name of metrics) {
    const metric = metricByName(name);
    const runs = seriesOf(metric).flatMap((selector): SeriesRun[] => {
      const row = sumsOf(name, selector);
      const run = runOf(rows[row]!, axes[row]!, FLOW_FORMULAS[name][1], metric);
      return run ? [{ selector, ...run }] : [];
    });
    yield [name, runs];
  }
}

/** The times of a row's buckets, made once for all metrics that have a point in each of them. */
class SharedAxis {
  readonly #buckets: Uint32Array;
  readonly #axis: BucketAxis;
  #whole: BucketAxis | undefined;

  constructor(buckets: Uint32Array, axis: BucketAxis) {
    this.#buckets = buckets;
    this.#axis = axis;
  }

  get whole(): BucketAxis {
    this.#whole ??= along(this.#buckets, this.#axis);
    return this.#whole;
  }

  /** @param kept places among the row's buckets */
  some(kept: Uint32Array): BucketAxis {
    return along(
      kept.map((place) => this.#buckets[place]),
      this.#axis,
    );
  }
}

function along(buckets: Uint32Array, { t, block }: BucketAxis): BucketAxis {
  return block ? { t: pick(t, buckets), block: pick(block, buckets) } : { t: pick(t, buckets) };
}

/** A plain loop: `Float64Array.from` with a function takes ten times as long. */
function pick(column: Float64Array, places: Uint32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) picked[i] = column[places[i]];
  return picked;
}

function runOf(
  { sums, width, length }: RowHistory,
  axis: SharedAxis,
  formula: FlowFormula,
  metric: Metric & { name: MetricName },
): (BucketAxis & { v: Float64Array }) | undefined {
  const v = new Float64Array(length);
  const kept = new Uint32Array(length);
  let points = 0;
  for (let row = 0; row < length; row++) {
    const value = formula(sums, row * width);
    if (!isPoint(value, metric.shape, metric.name)) continue;
    v[points] = value;
    kept[points++] = row;
  }
  if (points === 0) return undefined;
  if (points === length) return { ...axis.whole, v };
  return { ...axis.some(kept.subarray(0, points)), v: v.slice(0, points) };
}
