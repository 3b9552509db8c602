/**
 * docs/methodology.md §8, rule 10: weeks and months follow from days. They are made of the same numbers in the same
 * order, so all but two ratios, whose parts no series shows, are compared bit for bit.
 */

import {
  addsUp,
  BUCKET_SECONDS,
  type CalendarResolution,
  METRICS,
  type Metric,
  type MetricName,
  metricByName,
  RESOLUTION_FACTS,
  SINGLE_SERIES,
  seriesOf,
} from "../../../../data-schema/registry.ts";
import type { Series } from "../../../engine/series.ts";
import { counted } from "../../../lib/terminal/amount-text.ts";
import { RELATIVE } from "./equations.ts";
import type { SeriesByMetric } from "./series-columns.ts";
import { pointPlace } from "./solve.ts";

/** Values by the start of their bucket, Unix seconds. */
type Values = Map<number, number>;

/** The smallest and the largest value that a week or month can have. */
interface Limits {
  least: number;
  most: number;
  /** Whether there may be no point, too. */
  mayLack?: true;
}

type Named = Metric & { name: MetricName };

/** Numerator and denominator of the ratios whose sums have series. */
const QUOTIENTS: Partial<Record<MetricName, readonly [MetricName, MetricName]>> = {
  sopr: ["volume_dollar", "moved_coins_cost_basis"],
  moved_coins_realised_price: ["moved_coins_cost_basis", "volume"],
};

/** Metrics whose weeks are what another one has of the seven days up to their last, for the selectors of that one. */
const TRAILING_WEEK: Partial<Record<MetricName, MetricName>> = { active_addresses: "active_addresses_7d" };

/** Metrics with a point on all days on which a ratio counts something, and perhaps on others. */
const COUNTED_BY: Partial<Record<MetricName, MetricName>> = {
  sopr_profit: "realised_profit",
  sopr_loss: "realised_loss",
  asopr: "volume",
};

/**
 * Compares weeks or months with days.
 *
 * @param complete starts of the first and the last bucket, Unix seconds
 * @param selectorsOf those of a metric's series
 * @returns a sentence for each series that differs
 */
export function compareWithDays(
  resolution: CalendarResolution,
  buckets: SeriesByMetric,
  days: SeriesByMetric,
  complete: { first: number; last: number },
  selectorsOf: (metric: Metric) => readonly string[] = seriesOf,
): { checks: number; problems: string[] } {
  const problems: string[] = [];
  let checks = 0;
  for (const metric of METRICS as readonly Named[]) {
    const { name } = metric;
    const needed = [name, ...(QUOTIENTS[name] ?? []), ...(COUNTED_BY[name] ? [COUNTED_BY[name]] : [])];
    if (!needed.every((one) => days.has(one)) || !buckets.has(name)) continue;
    for (const selector of selectorsOf(metric)) {
      const runOf = (wanted: MetricName) => days.get(wanted)?.get(selector);
      const published = valuesOf(buckets.get(name)?.get(selector));
      const trailing = resolution === "week" ? TRAILING_WEEK[name] : undefined;
      const isTrailing = trailing && days.has(trailing) && seriesOf(metricByName(trailing)).includes(selector);
      const limits = isTrailing ? perBucket(resolution, runOf(trailing), lastDay) : limitsOf(resolution, metric, runOf);
      const places = [...new Set([...published.keys(), ...limits.keys()])].filter(
        (start) => start >= complete.first && start <= complete.last,
      );
      const wrong = places.filter((start) => !isWithin(published.get(start), limits.get(start))).sort((a, b) => a - b);
      checks += places.length;
      const [first] = wrong;
      if (first === undefined) continue;
      problems.push(
        `${resolution}: ${name}(${selector}) does not follow from its days (rule 10) at ${counted(wrong.length, "place")}, ` +
          `first ${pointPlace(resolution, first)}: ${published.get(first) ?? "no point"} instead of ${limitsText(limits.get(first))}.`,
      );
    }
  }
  return { checks, problems };
}

function isWithin(value: number | undefined, limits: Limits | undefined): boolean {
  if (value === undefined || !limits) return value === limits || limits?.mayLack === true;
  return value >= limits.least && value <= limits.most;
}

function limitsText(limits: Limits | undefined): string {
  if (!limits) return "no point";
  return limits.least === limits.most ? `${limits.least}` : `${limits.least} to ${limits.most}`;
}

function limitsOf(
  resolution: CalendarResolution,
  metric: Named,
  runOf: (metric: MetricName) => Series | undefined,
): Map<number, Limits> {
  const { name, kind, countsAnew } = metric;
  if (kind !== "flow") return perBucket(resolution, runOf(name), lastDay);
  if (countsAnew) return perBucket(resolution, runOf(name), atMostTheSum);
  if (addsUp(metric)) return perBucket(resolution, runOf(name), sum);
  const parts = QUOTIENTS[name];
  if (!parts) {
    const limits = perBucket(resolution, runOf(name), extremes);
    for (const day of freeDays(runOf(name), runOf(COUNTED_BY[name] ?? name))) {
      const start = RESOLUTION_FACTS[resolution].start(day);
      const { least } = limits.get(start) ?? {};
      if (least !== undefined) limits.set(start, { least, most: Number.POSITIVE_INFINITY });
    }
    return limits;
  }
  const [numerators, denominators] = parts.map((metric) => perBucket(resolution, runOf(metric), sum));
  return new Map(
    Array.from(denominators!, ([start, { least }]) => [start, exactly((numerators!.get(start)?.least ?? 0) / least)]),
  );
}

const exactly = (value: number): Limits => ({ least: value, most: value });

const valuesOf = (run: Series | undefined): Values => new Map(Array.from(run?.t ?? [], (t, i) => [t, run!.v[i]!]));

/** What days [begin, end) of a run make of their bucket; undefined for no point. */
type Rule = (run: Series, begin: number, end: number, bucketEnd: number) => Limits | undefined;

function perBucket(resolution: CalendarResolution, run: Series | undefined, rule: Rule): Map<number, Limits> {
  const limits = new Map<number, Limits>();
  if (!run) return limits;
  const { t } = run;
  for (let begin = 0, end = 0; begin < t.length; begin = end) {
    const bucketEnd = RESOLUTION_FACTS[resolution].start(t[begin]!, 1);
    while (end < t.length && !(t[end]! >= bucketEnd)) end++;
    const found = rule(run, begin, end, bucketEnd);
    if (found) limits.set(RESOLUTION_FACTS[resolution].start(t[begin]!), found);
  }
  return limits;
}

/** Adds up the days of a bucket, in order, from 0. */
const sum: Rule = ({ v }, begin, end) => {
  let sum = 0;
  for (let i = begin; i < end; i++) sum += v[i]!;
  return sum === 0 ? undefined : exactly(sum);
};

/** What counts in a bucket counts in one of its days; its cohort may be another on the other days. */
const atMostTheSum: Rule = ({ v }, begin, end) => {
  let most = 0;
  for (let i = begin; i < end; i++) most += v[i]!;
  return { least: 0, most, mayLack: true };
};

const lastDay: Rule = ({ t, v }, _, end, bucketEnd) =>
  t[end - 1] === bucketEnd - BUCKET_SECONDS.day ? exactly(v[end - 1]!) : undefined;

/**
 * A ratio of sums lies between the smallest and the largest ratio of its days, but for rounding. Only where no cost is
 * negative: rounding may leave a purchase price that is next to nothing below zero.
 */
const extremes: Rule = ({ v }, begin, end) => {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let i = begin; i < end; i++) {
    if (v[i]! < 0 || Object.is(v[i], -0)) return { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };
    least = Math.min(least, v[i]! * (1 - RELATIVE));
    most = Math.max(most, v[i]! * (1 + RELATIVE));
  }
  return { least, most };
};

/** Days on which only coins moved that had cost nothing: they count in the numerator of their bucket, and have no ratio. */
function freeDays(ratio: Series | undefined, profit: Series | undefined): number[] {
  const defined = new Set(ratio?.t);
  return Array.from(profit?.t ?? []).filter((day) => !defined.has(day));
}

/**
 * Compares the prices of a period of hours with those of its days: a day closes with its last hour.
 *
 * @returns a sentence if they differ
 */
export function comparePrices(
  hours: ReadonlyMap<string, Series>,
  days: ReadonlyMap<string, Series>,
  { from, to }: { from: number; to: number },
  complete: { first: number; last: number },
): { checks: number; problems: string[] } {
  const { day, hour } = BUCKET_SECONDS;
  const byHour = valuesOf(hours.get(SINGLE_SERIES));
  const byDay = valuesOf(days.get(SINGLE_SERIES));
  const wrong: number[] = [];
  let checks = 0;
  for (let start = Math.max(from, complete.first); start < to && start <= complete.last; start += day) {
    checks++;
    if (byHour.get(start + day - hour) !== byDay.get(start)) wrong.push(start);
  }
  const [first] = wrong;
  if (first === undefined) return { checks, problems: [] };
  const problem =
    `hour: the price of the last hour is not that of the day (rule 11) at ${counted(wrong.length, "place")}, ` +
    `first ${pointPlace("day", first)}: ${byHour.get(first + day - hour) ?? "no point"} instead of ${byDay.get(first) ?? "no point"}.`;
  return { checks, problems: [problem] };
}
