/**
 * Flow series of a stretch of time: events added up per bucket, in event order, so that the sums depend on nothing
 * but the events. Source: methodology §5 and §6.
 */

import { type Metric, type MetricName, metricByName, seriesOf } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { BucketCells, BucketCensus, isPoint, PointColumns } from "./cells.ts";
import {
  FLOW_FAMILIES,
  FLOW_FAMILY_NAMES,
  type Flow,
  type FlowFamily,
  type FlowFamilyName,
  NOBODY,
} from "./flow-families.ts";
import { FLOW_FORMULAS, type FlowFormula, type FlowMetricName } from "./formulas.ts";
import type { SeriesRun } from "./series.ts";
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
  const hours = familiesOf(metrics);
  const days = familiesOf(metrics);
  const lastHour = bucketRange(timeline, "hour")?.last ?? Number.NEGATIVE_INFINITY;
  const lastDay = bucketRange(timeline, "day")?.last ?? Number.NEGATIVE_INFINITY;
  const { timestamp } = timeline.history;
  const endRow = firstRowAt(timeline.history, Math.min(to, lastHour + BUCKET_SECONDS.hour));

  let hour = from;
  let day = from;
  const closeHour = () => {
    const ordinal = (hour - from) / BUCKET_SECONDS.hour;
    hours.forEach((series, f) => {
      series.cells.addTo(days[f].cells);
      series.close(ordinal);
    });
  };
  const closeDay = () => {
    const ordinal = (day - from) / BUCKET_SECONDS.day;
    if (day <= lastDay) for (const series of days) series.close(ordinal);
  };
  const flow = emptyFlow();
  for (let row = Math.max(firstRowAt(timeline.history, from), timeline.firstRow); row < endRow; row++) {
    if (!readFlow(timeline, row, flow)) continue;
    if (timestamp[row] >= hour + BUCKET_SECONDS.hour) {
      closeHour();
      hour = Math.floor(timestamp[row] / BUCKET_SECONDS.hour) * BUCKET_SECONDS.hour;
      if (hour >= day + BUCKET_SECONDS.day) {
        closeDay();
        day = Math.floor(hour / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
      }
    }
    for (const series of hours) series.family.add(series.cells, flow);
  }
  closeHour();
  closeDay();

  const timesOf = (step: number) => (ordinal: number) => from + ordinal * step;
  return {
    hour: collect(hours, { t: timesOf(BUCKET_SECONDS.hour) }),
    day: collect(days, { t: timesOf(BUCKET_SECONDS.day) }),
  };
}

/** Block series of a stretch. */
export function blockFlows(timeline: Timeline, stretch: Stretch, metrics: readonly FlowMetricName[]): MetricRuns {
  const { block, timestamp } = timeline.history;
  const all = familiesOf(metrics);
  const firstRowOfBlock: number[] = [];
  const flow = emptyFlow();
  for (const row of rowsOf(timeline, stretch)) {
    if (!readFlow(timeline, row, flow)) continue;
    const last = firstRowOfBlock.length - 1;
    if (last < 0 || block[row] !== block[firstRowOfBlock[last]]) {
      for (const series of all) series.close(last);
      firstRowOfBlock.push(row);
    }
    for (const series of all) series.family.add(series.cells, flow);
  }
  for (const series of all) series.close(firstRowOfBlock.length - 1);
  return collect(all, {
    t: (ordinal) => timestamp[firstRowOfBlock[ordinal]],
    block: (ordinal) => block[firstRowOfBlock[ordinal]],
  });
}

/** Rows of the densest block series of a stretch. */
export function densestBlockSeries(timeline: Timeline, stretch: Stretch): number {
  const { block } = timeline.history;
  const all = Object.values(FLOW_FAMILIES).map((family: FlowFamily) => ({
    family,
    census: new BucketCensus(family.selectors.length, family.width),
  }));
  const flow = emptyFlow();
  let ordinal = 0;
  let currentBlock = -1;
  for (const row of rowsOf(timeline, stretch)) {
    if (!readFlow(timeline, row, flow)) continue;
    if (block[row] !== currentBlock) {
      currentBlock = block[row];
      ordinal++;
    }
    for (const { family, census } of all) {
      census.bucket = ordinal;
      family.add(census, flow);
    }
  }
  return Math.max(...all.flatMap(({ census }) => [...census.counts]));
}

function* rowsOf(timeline: Timeline, { from, to }: Stretch): Generator<number> {
  const end = Math.min(firstRowAt(timeline.history, to), timeline.endRow);
  for (let row = Math.max(firstRowAt(timeline.history, from), timeline.firstRow); row < end; row++) yield row;
}

/** Reads a row; false when it counts nowhere. */
function readFlow(timeline: Timeline, row: number, flow: Flow): boolean {
  const x = timeline.tokens[row];
  if (x === 0) return false;
  const { groups, history } = timeline;
  const from = history.from[row];
  const to = history.to[row];
  flow.kind = from === 0 ? "mint" : to === 0 ? "burn" : "transfer";
  flow.tokens = x;
  flow.usd = x * timeline.price[row];
  flow.cost = x * timeline.basis[row];
  flow.senderGroup = from === 0 ? NOBODY : groups[from];
  flow.receiverGroup = to === 0 ? NOBODY : groups[to];
  flow.sender = timeline.sender[row];
  flow.receiver = timeline.receiver[row];
  return true;
}

function emptyFlow(): Flow {
  return {
    kind: "transfer",
    tokens: 0.5,
    usd: 0.5,
    cost: 0.5,
    senderGroup: NOBODY,
    receiverGroup: NOBODY,
    sender: 0,
    receiver: 0,
  };
}

interface MetricOfFamily {
  metric: Metric & { name: MetricName };
  formula: FlowFormula;
  /** Place among the metric's series of each of the family's selectors; −1 where the metric lacks it. */
  seriesOfSelector: number[];
}

/** The families that the metrics read, each with its own among them. */
function familiesOf(metrics: readonly FlowMetricName[]): FamilySeries[] {
  return FLOW_FAMILY_NAMES.flatMap((family) => {
    const own = metrics.filter((name) => FLOW_FORMULAS[name][0] === family);
    return own.length > 0 ? [new FamilySeries(family, own)] : [];
  });
}

/** The series of a family's metrics as they grow, bucket by bucket. */
class FamilySeries {
  readonly family: FlowFamily;
  readonly cells: BucketCells;
  readonly metrics: MetricOfFamily[];
  /** Per metric, per series of it. */
  readonly points: PointColumns[][];

  constructor(name: FlowFamilyName, metrics: readonly FlowMetricName[]) {
    this.family = FLOW_FAMILIES[name];
    const { selectors, width } = this.family;
    this.cells = new BucketCells(selectors.length, width);
    this.metrics = metrics.map((metricName) => {
      const metric = metricByName(metricName);
      const series = seriesOf(metric);
      const seriesOfSelector = selectors.map((selector) => series.indexOf(selector));
      return { metric, formula: FLOW_FORMULAS[metricName][1], seriesOfSelector };
    });
    this.points = this.metrics.map(({ metric }) => seriesOf(metric).map(() => new PointColumns()));
  }

  /** Turns the sums of the bucket into points and starts the next one. */
  close(bucket: number): void {
    const { cells } = this;
    for (let m = 0; m < this.metrics.length; m++) {
      const { metric, formula, seriesOfSelector } = this.metrics[m];
      for (let i = 0; i < cells.used; i++) {
        const series = seriesOfSelector[cells.selectors[i]];
        if (series < 0) continue;
        const value = formula(cells.values, cells.selectors[i] * cells.width);
        if (isPoint(value, metric.shape, metric.name)) this.points[m][series].push(bucket, value);
      }
    }
    cells.clear();
  }
}

/** Times, and at block resolution numbers, of the buckets by ordinal. */
interface BucketAxis {
  t: (ordinal: number) => number;
  block?: (ordinal: number) => number;
}

function* collect(families: readonly FamilySeries[], axis: BucketAxis): Generator<[MetricName, SeriesRun[]]> {
  for (const { metrics, points } of families) {
    for (const [m, { metric }] of metrics.entries()) yield [metric.name, runsOf(seriesOf(metric), points[m], axis)];
  }
}

function runsOf(selectors: readonly string[], points: PointColumns[], axis: BucketAxis): SeriesRun[] {
  return selectors.flatMap((selector, s) => {
    const { buckets, values, length } = points[s];
    if (length === 0) return [];
    const run: SeriesRun = { selector, t: along(buckets, length, axis.t), v: values.slice(0, length) };
    if (axis.block) run.block = along(buckets, length, axis.block);
    return [run];
  });
}

/** A plain loop: `Float64Array.from` with a function takes ten times as long. */
function along(buckets: Uint32Array, length: number, read: (ordinal: number) => number): Float64Array {
  const column = new Float64Array(length);
  for (let i = 0; i < length; i++) column[i] = read(buckets[i]);
  return column;
}
