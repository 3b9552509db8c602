/**
 * Medians of the transfers of each day, week and month, each of all its transfers: those of a longer bucket don't follow from
 * its days, so the transfers of the week and the month that a build leaves open are kept for the next one.
 * Source: docs/methodology.md §9.
 */

import {
  BUCKET_SECONDS,
  bucketFinder,
  byWhole,
  CALENDAR_RESOLUTIONS,
  type MetricName,
  RESOLUTION_FACTS,
  SINGLE_SERIES,
  type WholeResolution,
} from "../../../data-schema/registry.ts";
import type { MetricSeries } from "../flows.ts";
import { MEDIANS, type Moved } from "../formulas.ts";
import { firstRowAt, type ReplayedEvents } from "../history/history.ts";
import { newBuckets, type Outline } from "../history/outline.ts";
import { isPoint, type Series } from "../series.ts";
import { medianOf } from "./select.ts";

const DAY = BUCKET_SECONDS.day;

/** Transfers of a day, in the order of events. */
export interface DayTransfers extends Moved {
  /** Start of the day, Unix seconds. */
  day: number;
}

/** The transfers of a day, in pieces that can be read more than once. */
export interface TransferDay {
  day: number;
  /** How many they are, at least 1. */
  count: number;
  pieces: () => Iterable<Moved>;
}

/** The transfers among some events, day by day: neither mints nor burns, nor events that count nowhere. */
export function* transfersByDay({ history, tokens, price }: ReplayedEvents): Generator<DayTransfers> {
  const { rows, timestamp, from, to } = history;
  const picked = new Uint32Array(rows);
  for (let row = 0; row < rows; ) {
    const day = Math.floor(timestamp[row]! / DAY) * DAY;
    const end = firstRowAt(history, day + DAY);
    let count = 0;
    for (; row < end; row++) if (tokens[row] !== 0 && from[row] !== 0 && to[row] !== 0) picked[count++] = row;
    if (count === 0) continue;
    const [x, usd] = [new Float64Array(count), new Float64Array(count)];
    for (let i = 0; i < count; i++) {
      x[i] = tokens[picked[i]!]!;
      usd[i] = price[picked[i]!]!;
    }
    yield { day, tokens: x, price: usd };
  }
}

/** The start of the first day of the week and of the month that contain a time, Unix seconds. */
export const openFrom = (time: number): number =>
  Math.min(...CALENDAR_RESOLUTIONS.map((resolution) => RESOLUTION_FACTS[resolution].start(time)));

/**
 * The medians of all buckets that are complete, except those that were at the outline's checkpoint.
 *
 * @param days with transfers, ascending: from `openFrom` the checkpoint's time on, or all
 * @param most numbers in memory at a time
 */
export function mediansOf(
  outline: Outline,
  days: Iterable<TransferDay>,
  most = Number.POSITIVE_INFINITY,
): Record<WholeResolution, MetricSeries> {
  const found = byWhole((resolution) => new BucketMedians(outline, resolution, most));
  for (const day of days) for (const medians of Object.values(found)) medians.add(day);
  return byWhole((resolution) => found[resolution].end());
}

const NAMES = Object.keys(MEDIANS) as (keyof typeof MEDIANS)[];

class BucketMedians {
  readonly #startOf: (seconds: number) => number;
  readonly #new: { first: number; last: number };
  readonly #most: number;
  readonly #t: number[] = [];
  readonly #v = NAMES.map((): number[] => []);
  #start = Number.NaN;
  #days: TransferDay[] = [];

  constructor(outline: Outline, resolution: WholeResolution, most: number) {
    this.#startOf = bucketFinder(resolution);
    this.#new = newBuckets(outline, resolution) ?? { first: 0, last: Number.NEGATIVE_INFINITY };
    this.#most = most;
  }

  add(day: TransferDay): void {
    const start = this.#startOf(day.day);
    if (start !== this.#start) this.#close();
    this.#start = start;
    this.#days.push(day);
  }

  #close(): void {
    const [start, days] = [this.#start, this.#days];
    this.#days = [];
    if (!(start >= this.#new.first && start <= this.#new.last)) return;
    const count = days.reduce((sum, day) => sum + day.count, 0);
    this.#t.push(start);
    for (const [index, name] of NAMES.entries()) {
      const pieces = function* () {
        for (const day of days) for (const piece of day.pieces()) yield MEDIANS[name](piece);
      };
      const value = medianOf(pieces, count, this.#most);
      // A median always is one, unless it is beyond the range of a double.
      if (isPoint(value, "ratio", name)) this.#v[index]!.push(value);
    }
  }

  end(): [MetricName, Series[]][] {
    this.#close();
    const t = Float64Array.from(this.#t);
    const seriesOf = (values: readonly number[]) =>
      values.length === 0 ? [] : [{ selector: SINGLE_SERIES, t, v: Float64Array.from(values) }];
    return NAMES.map((name, index) => [name, seriesOf(this.#v[index]!)]);
  }
}
