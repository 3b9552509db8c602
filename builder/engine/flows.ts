/**
 * Flow series of a time range: events added up per bucket, in event order, so that the sums depend on nothing but the
 * events. Source: docs/methodology.md §5 and §6.
 */

import {
  BUCKET_SECONDS,
  byHourMultiple,
  type HourMultiple,
  type Metric,
  type MetricName,
  metricByName,
  type Resolution,
} from "../../data-schema/registry.ts";
import { concat } from "../lib/columns/concat.ts";
import { spaced } from "../lib/columns/spaced.ts";
import { countBuckets, type FlowBuckets, FlowSums, type RowEntries, rowOf } from "./flow-sums.ts";
import {
  BLOCK_METRIC_NAMES,
  DAY_ADDENDS,
  FLOW_FORMULAS,
  type FlowFormula,
  type FlowMetricName,
  flowsOf,
  formulaAt,
} from "./formulas.ts";
import { firstRowAt, type Groups, type ReplayedEvents } from "./history/history.ts";
import { bucketRange, type Outline } from "./history/outline.ts";
import { type CohortScope, selectorsOf } from "./history/whose.ts";
import { isPoint, type Series } from "./series.ts";

const HOUR = BUCKET_SECONDS.hour;
const DAY = BUCKET_SECONDS.day;

/** [from, to), Unix seconds. */
export interface TimeRange {
  from: number;
  to: number;
}

/**
 * The series of each metric, selectors in registry order, without those that have no point. They are computed lazily, a
 * metric at a time, because all at once would take several times the memory of the sums.
 */
export type MetricSeries = Iterable<[metric: MetricName, runs: Series[]]>;

/** What days add to their week and month, ascending in time; days on which all of it is 0 may be left out. */
export interface AddendRun {
  selector: string;
  /** Unix seconds: start of the day. */
  t: Float64Array;
  /** In the order of `DAY_ADDENDS`. */
  columns: readonly Float64Array[];
}

/** The flows of some days, by resolution: of days, and of whatever divides them. */
export interface DayFlows extends Record<HourMultiple, MetricSeries> {
  /** Runs of each metric of `DAY_ADDENDS`, selectors in registry order: no series shows all of it. */
  addends: Iterable<[metric: MetricName, runs: AddendRun[]]>;
}

/**
 * Series of hours, and of what is made of hours, of a time range that begins and ends with a day. Events come in pieces, in
 * order. Days are always added up from their hours, so that they are the same whether hours are published or not.
 */
export class HourAndDayFlows {
  readonly #from: number;
  readonly #outline: Outline;
  /** End of the complete hours. */
  readonly #end: number;
  readonly #whose: CohortScope;
  readonly #sums: FlowSums;

  constructor(outline: Outline, groups: Groups, { from, to }: TimeRange) {
    const { whose } = outline;
    this.#whose = whose;
    this.#outline = outline;
    this.#from = from;
    this.#end = Math.min(to, (bucketRange(outline, "hour")?.last ?? Number.NEGATIVE_INFINITY) + HOUR);
    this.#sums = new FlowSums(groups, Math.max(0, (this.#end - from) / HOUR), { whose });
  }

  /** Whether all events have to be counted before the first is added. */
  get needsCounts(): boolean {
    return this.#sums.needsCounts;
  }

  count(events: ReplayedEvents): void {
    this.#sums.count(events, this.#hoursOf(events));
  }

  add(events: ReplayedEvents): void {
    this.#sums.add(events, this.#hoursOf(events));
  }

  #hoursOf(events: ReplayedEvents): FlowBuckets {
    const [firstEvent, endEvent] = eventsBetween(events, this.#from, this.#end);
    const { timestamp } = events.history;
    const ordinals = new Uint32Array(endEvent - firstEvent);
    for (let i = 0; i < ordinals.length; i++) ordinals[i] = (timestamp[firstEvent + i]! - this.#from) / HOUR;
    return { firstEvent, ordinals };
  }

  /** The series; they are computed from memory that the next one in the thread overwrites. */
  end(): DayFlows & { hour: MetricSeries } {
    const hours = this.#sums.end();
    const starts = (step: number) => spaced(this.#from, step, Math.max(0, Math.ceil((this.#end - this.#from) / step)));
    const sums = byHourMultiple((resolution) => {
      const buckets = this.#complete(resolution);
      return hours.map((row) => addUpHours(row, BUCKET_SECONDS[resolution] / HOUR, buckets));
    });
    const series = (rows: readonly RowEntries[], resolution: HourMultiple | "hour") =>
      applyFormulas(
        (row) => rows[row]!,
        this.#whose,
        { t: starts(BUCKET_SECONDS[resolution]) },
        flowsOf(resolution),
        resolution,
      );
    return {
      hour: series(hours, "hour"),
      ...byHourMultiple((resolution) => series(sums[resolution], resolution)),
      addends: addendsOf(sums.day, this.#whose, starts(DAY)),
    };
  }

  /** How many buckets are complete. */
  #complete(resolution: HourMultiple): number {
    const { last = Number.NEGATIVE_INFINITY } = bucketRange(this.#outline, resolution) ?? {};
    const end = Math.min(this.#end, last + BUCKET_SECONDS[resolution]);
    return Math.max(0, Math.floor((end - this.#from) / BUCKET_SECONDS[resolution]));
  }
}

/** @param starts of the days, by ordinal */
function* addendsOf(
  days: readonly RowEntries[],
  whose: CohortScope,
  starts: Float64Array,
): Generator<[MetricName, AddendRun[]]> {
  for (const [name, formulas] of DAY_ADDENDS) {
    const [family] = FLOW_FORMULAS[name as FlowMetricName];
    const runs = selectorsOf(metricByName(name), whose).flatMap((selector): AddendRun[] => {
      const { buckets, sums, width } = days[rowOf(family, selector)]!;
      const column = (formula: FlowFormula) => {
        const values = new Float64Array(buckets.length);
        formula(sums, width, values);
        return values;
      };
      return buckets.length === 0 ? [] : [{ selector, t: pick(starts, buckets), columns: formulas.map(column) }];
    });
    yield [name, runs];
  }
}

/** Adds up the hours of each of the first buckets, of so many hours each, in their order. */
function addUpHours({ buckets, sums, width }: RowEntries, hours: number, most: number): RowEntries {
  const ordinals: number[] = [];
  const added: number[] = [];
  for (let entry = 0; entry < buckets.length; entry++) {
    const bucket = Math.floor(buckets[entry]! / hours);
    if (bucket >= most) break;
    if (bucket !== ordinals.at(-1)) {
      ordinals.push(bucket);
      for (let k = 0; k < width; k++) added.push(0);
    }
    const at = added.length - width;
    for (let k = 0; k < width; k++) added[at + k]! += sums[entry * width + k]!;
  }
  return { buckets: Uint32Array.from(ordinals), sums: Float64Array.from(added), width };
}

/** Block series of a time range, of events that come in pieces, in order: of whole blocks each. */
export class BlockFlows {
  readonly #blocks: BlockAxis;
  readonly #metrics: readonly FlowMetricName[];
  readonly #whose: CohortScope;
  readonly #sums: FlowSums;

  /** @param used in how many of the blocks each row of sums (flow-sums.ts) is used */
  constructor(
    groups: Groups,
    range: TimeRange,
    used: readonly number[],
    metrics: readonly FlowMetricName[] = BLOCK_METRIC_NAMES,
    whose: CohortScope = "all",
  ) {
    this.#whose = whose;
    this.#blocks = new BlockAxis(range);
    this.#metrics = metrics;
    this.#sums = new FlowSums(groups, used, { families: familiesOf(metrics), whose });
  }

  add(events: ReplayedEvents): void {
    this.#sums.add(events, this.#blocks.add(events).buckets);
  }

  /** The series; they are computed from memory that the next one in the thread overwrites. */
  end(): MetricSeries {
    const rows = this.#sums.end();
    return applyFormulas((row) => rows[row]!, this.#whose, this.#blocks.end(), this.#metrics, "block");
  }
}

/** Blocks whose sums are in memory at once. */
const FEW_BLOCKS = 8_192;

/**
 * Block series of the pieces of lots, which come as events, too. Their sums may be more than memory holds: it has those of a few
 * blocks while events come, and one row of sums while its series are made.
 */
export class LotBlockFlows {
  readonly #groups: Groups;
  readonly #blocks: BlockAxis;
  readonly #metrics: readonly FlowMetricName[];

  constructor(groups: Groups, range: TimeRange, metrics: readonly FlowMetricName[]) {
    this.#groups = groups;
    this.#blocks = new BlockAxis(range);
    this.#metrics = metrics;
  }

  /** The rows of sums (flow-sums.ts), of a few blocks at a time, in memory that the next blocks overwrite. */
  *add(events: ReplayedEvents): Generator<readonly RowEntries[]> {
    const { buckets, firstEvents } = this.#blocks.add(events);
    const { firstEvent, ordinals } = buckets;
    const placeOf = (block: number) => (firstEvents[block] ?? firstEvent + ordinals.length) - firstEvent;
    for (let block = 0; block < firstEvents.length; block += FEW_BLOCKS) {
      const [from, to] = [placeOf(block), placeOf(block + FEW_BLOCKS)];
      const few = Math.min(FEW_BLOCKS, firstEvents.length - block);
      const sums = new FlowSums(this.#groups, few, { families: familiesOf(this.#metrics), whose: "lots" });
      sums.add(events, { firstEvent: firstEvent + from, ordinals: ordinals.subarray(from, to) });
      yield sums.end();
    }
  }

  /**
   * The series.
   *
   * @param rowAt all entries of a row of sums that `add` has yielded; it may overwrite the row before
   * @param room bytes of the times and blocks of rows that may be kept for the next metric
   */
  end(rowAt: (row: number) => RowEntries, room: number): MetricSeries {
    return applyFormulas(rowAt, "lots", this.#blocks.end(), this.#metrics, "block", room);
  }
}

/** The blocks of a time range, as pieces of events name them. */
class BlockAxis {
  readonly #range: TimeRange;
  #blocks = 0;
  readonly #axes: { t: Float64Array; block: Float64Array }[] = [];

  constructor(range: TimeRange) {
    this.#range = range;
  }

  add(events: ReplayedEvents): ReturnType<typeof blocksOf> {
    const found = blocksOf(events, this.#range, this.#blocks);
    const { block, timestamp } = events.history;
    this.#blocks += found.firstEvents.length;
    this.#axes.push({ t: pick(timestamp, found.firstEvents), block: pick(block, found.firstEvents) });
    return found;
  }

  end(): BucketAxis {
    return { t: concat(this.#axes.map(({ t }) => t)), block: concat(this.#axes.map(({ block }) => block)) };
  }
}

const familiesOf = (metrics: readonly FlowMetricName[]) => [...new Set(metrics.map((name) => FLOW_FORMULAS[name][0]))];

/** The blocks of a day. */
export interface DayBlocks {
  /** Start of the day, Unix seconds. */
  day: number;
  /** In how many of them each row of sums (flow-sums.ts) is used. */
  rows: number[];
}

/** The blocks of each day with events. A block is of one day, so the counts of several days add up; so do those of a day's pieces. */
export function countBlocks(events: ReplayedEvents, whose?: CohortScope): DayBlocks[] {
  const { rows, timestamp } = events.history;
  const days: DayBlocks[] = [];
  for (let row = 0; row < rows; ) {
    const day = Math.floor(timestamp[row]! / DAY) * DAY;
    const range = { from: day, to: day + DAY };
    days.push({
      day,
      rows: countBuckets(events, blocksOf(events, range).buckets, familiesOf(BLOCK_METRIC_NAMES), whose),
    });
    row = firstRowAt(events.history, range.to);
  }
  return days;
}

/** The days of pieces of events that follow each other: whole blocks. */
export function joinDays(pieces: readonly DayBlocks[]): DayBlocks[] {
  const days: DayBlocks[] = [];
  for (const { day, rows } of pieces) {
    const last = days.at(-1);
    if (last?.day === day) last.rows = last.rows.map((count, row) => count + rows[row]!);
    else days.push({ day, rows });
  }
  return days;
}

/**
 * The blocks of a time range with events that count: the block of each event, and the first event of each block.
 *
 * @param before blocks of the pieces before
 */
function blocksOf(
  events: ReplayedEvents,
  { from, to }: TimeRange,
  before = 0,
): { buckets: FlowBuckets; firstEvents: Uint32Array } {
  const { block } = events.history;
  const [firstEvent, endEvent] = eventsBetween(events, from, to);
  const ordinals = new Uint32Array(endEvent - firstEvent);
  const firstEvents = new Uint32Array(endEvent - firstEvent);
  let blocks = 0;
  for (let event = firstEvent; event < endEvent; event++) {
    const counts = events.tokens[event] !== 0;
    if (counts && (blocks === 0 || block[event] !== block[firstEvents[blocks - 1]!])) firstEvents[blocks++] = event;
    // The kernel skips events that do not count, so their ordinal does not matter.
    ordinals[event - firstEvent] = before + Math.max(0, blocks - 1);
  }
  return { buckets: { firstEvent, ordinals }, firstEvents: firstEvents.subarray(0, blocks) };
}

/** The events [first, end) between two times. */
function eventsBetween({ history }: ReplayedEvents, from: number, to: number): [number, number] {
  const first = firstRowAt(history, from);
  return [first, Math.max(first, firstRowAt(history, to))];
}

/** A time and a block number. */
const AXIS_BYTES = 16;

/** The times, and at block resolution the block numbers, of the buckets by ordinal. */
interface BucketAxis {
  t: Float64Array;
  block?: Float64Array;
}

/**
 * Computes the series of each metric from the rows of sums.
 *
 * @param rowAt a row of sums; it may overwrite the row before
 * @param room bytes of axes that may be kept: metrics with a point in every entry of a row share its axis
 */
function* applyFormulas(
  rowAt: (row: number) => RowEntries,
  whose: CohortScope,
  axis: BucketAxis,
  metrics: readonly FlowMetricName[],
  resolution: Resolution,
  room = Number.POSITIVE_INFINITY,
): Generator<[MetricName, Series[]]> {
  const fullAxes = new Map<number, BucketAxis>();
  let left = room;
  for (const name of metrics) {
    const metric = metricByName(name);
    const [family] = FLOW_FORMULAS[name];
    const formula = formulaAt(name, resolution);
    const runs = selectorsOf(metric, whose).flatMap((selector): Series[] => {
      const number = rowOf(family, selector);
      const row = rowAt(number);
      const { buckets, v } = pointsOf(row, formula, metric);
      if (v.length === 0) return [];
      if (v.length < row.buckets.length) return [{ selector, ...pickAxis(axis, buckets), v }];
      const full = fullAxes.get(number) ?? pickAxis(axis, buckets);
      if (!fullAxes.has(number)) left -= AXIS_BYTES * v.length;
      if (left >= 0) fullAxes.set(number, full);
      return [{ selector, ...full, v }];
    });
    yield [name, runs];
  }
}

function pickAxis({ t, block }: BucketAxis, buckets: Uint32Array): BucketAxis {
  return block ? { t: pick(t, buckets), block: pick(block, buckets) } : { t: pick(t, buckets) };
}

function pick(column: Float64Array, places: Uint32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) picked[i] = column[places[i]!]!;
  return picked;
}

/** Scratch memory, reused from series to series. */
let values = new Float64Array(0);
let kept = new Uint32Array(0);

/** The points of a series and their buckets, which the next call overwrites. */
function pointsOf(
  { buckets, sums, width }: RowEntries,
  formula: FlowFormula,
  metric: Metric & { name: MetricName },
): { buckets: Uint32Array; v: Float64Array } {
  if (values.length < buckets.length) {
    values = new Float64Array(buckets.length);
    kept = new Uint32Array(buckets.length);
  }
  formula(sums, width, values.subarray(0, buckets.length));
  let points = 0;
  for (let entry = 0; entry < buckets.length; entry++) {
    const value = values[entry]!;
    if (!isPoint(value, metric.shape, metric.name)) continue;
    values[points] = value;
    kept[points++] = buckets[entry]!;
  }
  return { buckets: kept.subarray(0, points), v: values.slice(0, points) };
}
