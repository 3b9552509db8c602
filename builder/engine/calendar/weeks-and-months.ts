/**
 * Weeks and months, made from days: flows are added up in the order of days, states are those of the last day. A bucket
 * that a checkpoint left open goes on from its sums. Source: docs/methodology.md §5.
 */

import {
  BUCKET_SECONDS,
  bucketFinder,
  byCalendar,
  type CalendarResolution,
  type MetricName,
  metricByName,
  RESOLUTION_FACTS,
} from "../../../data-schema/registry.ts";
import type { AddendRun, DayFlows, MetricSeries } from "../flows.ts";
import { calendarValue, DAY_ADDENDS, FLOW_METRIC_NAMES } from "../formulas.ts";
import type { OpenBucket } from "../history/checkpoint.ts";
import { newBuckets, type Outline } from "../history/outline.ts";
import { selectorsOf } from "../history/whose.ts";
import { isPoint, type Series } from "../series.ts";

/** What days add to their week and month: their values, or what `DAY_ADDENDS` says. */
type Addends = Omit<AddendRun, "selector">;

/** The addends of consecutive ranges of days, by metric and selector. */
export type CollectedDays = ReadonlyMap<MetricName, ReadonlyMap<string, readonly Addends[]>>;

/** @param ranges consecutive */
export function collectDays(ranges: Iterable<DayFlows>): CollectedDays {
  const days = new Map<MetricName, Map<string, Addends[]>>();
  const add = (metric: MetricName, selector: string, addends: Addends) => {
    const bySelector = days.get(metric) ?? new Map<string, Addends[]>();
    days.set(metric, bySelector);
    bySelector.set(selector, [...(bySelector.get(selector) ?? []), addends]);
  };
  for (const { day, addends } of ranges) {
    for (const [metric, runs] of day) {
      if (DAY_ADDENDS.has(metric)) continue;
      for (const { selector, t, v } of runs) add(metric, selector, { t, columns: [v] });
    }
    for (const [metric, runs] of addends) for (const { selector, ...run } of runs) add(metric, selector, run);
  }
  return days;
}

/** The flows of the weeks or months that are complete, except those that were at the outline's checkpoint. */
export function* calendarFlows(
  outline: Outline,
  resolution: CalendarResolution,
  days: CollectedDays,
): Generator<[MetricName, Series[]]> {
  const last = newBuckets(outline, resolution)?.last ?? Number.NEGATIVE_INFINITY;
  const open = outline.checkpoint?.openBuckets[resolution];
  for (const name of FLOW_METRIC_NAMES) {
    const metric = metricByName(name);
    const runs = selectorsOf(metric, outline.whose).flatMap((selector): Series[] => {
      const [t, v]: [number[], number[]] = [[], []];
      for (const { start, sums } of addUp(resolution, name, selector, days, open)) {
        if (start > last) break;
        const value = calendarValue(name, resolution, sums);
        if (!isPoint(value, metric.shape, name)) continue;
        t.push(start);
        v.push(value);
      }
      return v.length === 0 ? [] : [{ selector, t: Float64Array.from(t), v: Float64Array.from(v) }];
    });
    yield [name, runs];
  }
}

/** Adds up the days of each bucket in their order, from 0 or from the sums of an open bucket. */
function* addUp(
  resolution: CalendarResolution,
  metric: MetricName,
  selector: string,
  days: CollectedDays,
  open: OpenBucket | undefined,
): Generator<{ start: number; sums: readonly number[] }> {
  const startOf = bucketFinder(resolution);
  const known = open?.sums[metric]?.[selector];
  let bucket = known ? { start: open!.from, sums: [...known] } : undefined;
  for (const { t, columns } of days.get(metric)?.get(selector) ?? []) {
    for (let day = 0; day < t.length; day++) {
      const start = startOf(t[day]!);
      if (bucket?.start !== start) {
        if (bucket) yield bucket;
        bucket = { start, sums: columns.map(() => 0) };
      }
      for (let k = 0; k < columns.length; k++) bucket.sums[k]! += columns[k]![day]!;
    }
  }
  if (bucket) yield bucket;
}

/** The states of the weeks or months whose last day is among some days. */
export function* calendarStates(resolution: CalendarResolution, days: MetricSeries): Generator<[MetricName, Series[]]> {
  const startOf = bucketFinder(resolution);
  const startAfter = bucketFinder(resolution);
  const isLast = (day: number) => startAfter(day + BUCKET_SECONDS.day) === day + BUCKET_SECONDS.day;
  for (const [metric, runs] of days) {
    const last = runs.flatMap(({ selector, t: days, v: values }): Series[] => {
      const [t, v]: [number[], number[]] = [[], []];
      for (let i = 0; i < days.length; i++) {
        if (!isLast(days[i]!)) continue;
        t.push(startOf(days[i]!));
        v.push(values[i]!);
      }
      return v.length === 0 ? [] : [{ selector, t: Float64Array.from(t), v: Float64Array.from(v) }];
    });
    yield [metric, last];
  }
}

/**
 * The week and the month that contain a time, the end of the last complete day.
 *
 * @param days those after the outline's checkpoint
 */
export function openBucketsAt(
  { checkpoint, whose }: Outline,
  days: CollectedDays,
  time: number,
): Record<CalendarResolution, OpenBucket> {
  const openAt = (resolution: CalendarResolution): OpenBucket => {
    const start = RESOLUTION_FACTS[resolution].start(time);
    const sums: OpenBucket["sums"] = {};
    for (const metric of FLOW_METRIC_NAMES) {
      const bySelector = selectorsOf(metricByName(metric), whose).flatMap((selector): [string, number[]][] => {
        const buckets = addUp(resolution, metric, selector, days, checkpoint?.openBuckets[resolution]);
        const open = [...buckets].find((bucket) => bucket.start === start)?.sums ?? [];
        return open.some((sum) => sum !== 0) ? [[selector, [...open]]] : [];
      });
      if (bySelector.length > 0) sums[metric] = Object.fromEntries(bySelector);
    }
    return { from: start, sums };
  };
  return byCalendar(openAt);
}
