/**
 * Flow series of a stretch of time: events added up per bucket, in event order, so that the sums depend on nothing
 * but the events. Source: methodology §5 and §6.
 */

import { type Metric, type MetricName, metricByName, seriesOf } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { type Buckets, countUses, type RowHistory, rowOf, sumFlows } from "./flow-sums.ts";
import { FLOW_FORMULAS, FLOW_METRIC_NAMES, type FlowFormula, type FlowMetricName } from "./formulas.ts";
import { isPoint } from "./points.ts";
import type { SeriesRun } from "./series.ts";
import { bucketRange, firstRowAt, type Timeline } from "./timeline.ts";

const HOUR = BUCKET_SECONDS.hour;
const DAY = BUCKET_SECONDS.day;
const HOURS_A_DAY = 24;

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
export function hourAndDayFlows(timeline: Timeline, { from, to }: Stretch): { hour: MetricRuns; day: MetricRuns } {
  const end = Math.min(to, (bucketRange(timeline, "hour")?.last ?? Number.NEGATIVE_INFINITY) + HOUR);
  const endOfDays = Math.min(to, (bucketRange(timeline, "day")?.last ?? Number.NEGATIVE_INFINITY) + DAY);
  const [firstEvent, endEvent] = eventsBetween(timeline, from, end);
  const { timestamp } = timeline.history;
  const ordinals = new Uint32Array(endEvent - firstEvent);
  for (let i = 0; i < ordinals.length; i++) ordinals[i] = (timestamp[firstEvent + i] - from) / HOUR;
  const hours = sumFlows(timeline, { firstEvent, ordinals, count: Math.max(0, (end - from) / HOUR) });
  const days = hours.map((row) => addUpDays(row, Math.max(0, (endOfDays - from) / DAY)));

  const starts = (step: number) =>
    Float64Array.from({ length: Math.max(0, Math.ceil((end - from) / step)) }, (_, bucket) => from + bucket * step);
  return {
    hour: collect(hours, { t: starts(HOUR) }),
    day: collect(days, { t: starts(DAY) }),
  };
}

/** Adds up the hours of each day, in their order; only of the first so many days. */
function addUpDays({ buckets, sums, width }: RowHistory, days: number): RowHistory {
  const ordinals: number[] = [];
  const added: number[] = [];
  for (let entry = 0; entry < buckets.length; entry++) {
    const day = Math.floor(buckets[entry] / HOURS_A_DAY);
    if (day >= days) break;
    if (day !== ordinals.at(-1)) {
      ordinals.push(day);
      for (let k = 0; k < width; k++) added.push(0);
    }
    const at = added.length - width;
    for (let k = 0; k < width; k++) added[at + k] += sums[entry * width + k];
  }
  return { buckets: Uint32Array.from(ordinals), sums: Float64Array.from(added), width };
}

/** Block series of a stretch. */
export function blockFlows(timeline: Timeline, stretch: Stretch): MetricRuns {
  const { buckets, firstEvents } = blocksOf(timeline, stretch);
  const { block, timestamp } = timeline.history;
  const axis = { t: pick(timestamp, firstEvents), block: pick(block, firstEvents) };
  return collect(sumFlows(timeline, buckets), axis);
}

/** In how many blocks of a stretch each row of sums is used. */
export function countBlockRows(timeline: Timeline, stretch: Stretch): number[] {
  return countUses(timeline, blocksOf(timeline, stretch).buckets);
}

/** The blocks of a stretch in which something counts: the block of each event, and the first event of each block. */
function blocksOf(timeline: Timeline, { from, to }: Stretch): { buckets: Buckets; firstEvents: Uint32Array } {
  const { block } = timeline.history;
  const [firstEvent, endEvent] = eventsBetween(timeline, from, to);
  const ordinals = new Uint32Array(endEvent - firstEvent);
  const firstEvents = new Uint32Array(endEvent - firstEvent);
  let blocks = 0;
  for (let event = firstEvent; event < endEvent; event++) {
    const counts = timeline.tokens[event] !== 0;
    if (counts && (blocks === 0 || block[event] !== block[firstEvents[blocks - 1]])) firstEvents[blocks++] = event;
    // An event that does not count has no block to be in: it is passed over.
    ordinals[event - firstEvent] = Math.max(0, blocks - 1);
  }
  return { buckets: { firstEvent, ordinals, count: blocks }, firstEvents: firstEvents.subarray(0, blocks) };
}

/** The events [first, end) between two times that may count. */
function eventsBetween({ history, firstRow, endRow }: Timeline, from: number, to: number): [number, number] {
  const first = Math.max(firstRowAt(history, from), firstRow);
  return [first, Math.max(first, Math.min(firstRowAt(history, to), endRow))];
}

/** The number of the row of sums that a series is made of. */
const sumsOf = (metric: FlowMetricName, selector: string) => rowOf(FLOW_FORMULAS[metric][0], selector);

/** Times, and at block resolution numbers, of the buckets by ordinal. */
interface BucketAxis {
  t: Float64Array;
  block?: Float64Array;
}

/** Sums → the series of each metric. */
function* collect(rows: readonly RowHistory[], axis: BucketAxis): Generator<[MetricName, SeriesRun[]]> {
  const axes = rows.map((row) => new SharedAxis(row.buckets, axis));
  for (const name of FLOW_METRIC_NAMES) {
    const metric = metricByName(name);
    const runs = seriesOf(metric).flatMap((selector): SeriesRun[] => {
      const row = sumsOf(name, selector);
      const run = runOf(rows[row], axes[row], FLOW_FORMULAS[name][1], metric);
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

/** Room for a series as it is made, kept for the next one. */
let values = new Float64Array(0);
let kept = new Uint32Array(0);

function runOf(
  { buckets: { length }, sums, width }: RowHistory,
  axis: SharedAxis,
  formula: FlowFormula,
  metric: Metric & { name: MetricName },
): (BucketAxis & { v: Float64Array }) | undefined {
  if (values.length < length) {
    values = new Float64Array(length);
    kept = new Uint32Array(length);
  }
  let points = 0;
  for (let row = 0; row < length; row++) {
    const value = formula(sums, row * width);
    if (!isPoint(value, metric.shape, metric.name)) continue;
    values[points] = value;
    kept[points++] = row;
  }
  if (points === 0) return undefined;
  const times = points === length ? axis.whole : axis.some(kept.subarray(0, points));
  return { ...times, v: values.slice(0, points) };
}
