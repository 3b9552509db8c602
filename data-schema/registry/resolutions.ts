/** Resolutions, buckets and the periods of objects, all in UTC. Source: docs/methodology.md §5, docs/formats.md#periods. */

import { isoDay } from "../text/iso.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../text/seconds.ts";

/** The resolutions that v1 and v2 serve, which is frozen. An asset file may leave out hours and blocks. */
export const V1_RESOLUTIONS = ["day", "hour", "block"] as const;
export type V1Resolution = (typeof V1_RESOLUTIONS)[number];

/** The resolutions that are made of days. They are always built. */
export const CALENDAR_RESOLUTIONS = ["week", "month"] as const;
export type CalendarResolution = (typeof CALENDAR_RESOLUTIONS)[number];

/** The resolutions whose buckets are made of hours: a day, and whatever divides it. They are always built. */
export const HOUR_MULTIPLES = ["day"] as const;
export type HourMultiple = (typeof HOUR_MULTIPLES)[number];

/** The resolutions of which one object holds the whole history. */
export type WholeResolution = HourMultiple | CalendarResolution;

const by =
  <Name extends string>(names: readonly Name[]) =>
  <Value>(of: (name: Name) => Value) =>
    Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>;

/** A value for each resolution that is made of days, of hours, and of either. */
export const byCalendar = by(CALENDAR_RESOLUTIONS);
export const byHourMultiple = by(HOUR_MULTIPLES);
export const byWhole = by<WholeResolution>([...HOUR_MULTIPLES, ...CALENDAR_RESOLUTIONS]);

export type Resolution = V1Resolution | WholeResolution;
/** Every resolution that is stored, in the order in which a manifest lists them. */
export const RESOLUTIONS: readonly Resolution[] = [
  ...new Set([...V1_RESOLUTIONS, ...HOUR_MULTIPLES, ...CALENDAR_RESOLUTIONS]),
];
export const byResolution = by(RESOLUTIONS);

/** The resolutions that divide time into buckets. */
export type BucketResolution = Exclude<Resolution, "block">;

/** Length of the buckets that have a fixed one and begin at its multiples, in seconds. */
export const BUCKET_SECONDS = { day: DAY_SECONDS, hour: HOUR_SECONDS } as const satisfies Record<
  HourMultiple | "hour",
  number
>;

const WEEK_SECONDS = 7 * BUCKET_SECONDS.day;
/** 1970-01-05. */
const FIRST_MONDAY = 4 * BUCKET_SECONDS.day;

/**
 * A block period ends with the first month by whose end its densest series has `full` rows. On chains with many blocks a
 * day, it ends with the first day by whose end that has `crowded`, so that a period fits the memory of the builder. Two
 * months of Ethereum's blocks have fewer.
 */
export const BLOCK_PERIOD_ROWS = { full: 262_144, crowded: 524_288 } as const;

/** Start of the ISO week, Monday 00:00 UTC, that contains a time, or of a later one; both in Unix seconds. */
export function weekStart(seconds: number, weeksLater = 0): number {
  return (Math.floor((seconds - FIRST_MONDAY) / WEEK_SECONDS) + weeksLater) * WEEK_SECONDS + FIRST_MONDAY;
}

/** Start of the UTC month that contains a time, or of a later one; both in Unix seconds. */
export function monthStart(seconds: number, monthsLater = 0): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater) / 1000;
}

/** Start of the UTC year that contains a time, or of a later one; both in Unix seconds. */
export function yearStart(seconds: number, yearsLater = 0): number {
  return Date.UTC(new Date(seconds * 1000).getUTCFullYear() + yearsLater, 0) / 1000;
}

const fixedStart =
  (length: number) =>
  (seconds: number, later = 0): number =>
    (Math.floor(seconds / length) + later) * length;

/** What is particular to a resolution. */
interface ResolutionFacts {
  /** Start of the bucket that contains a time, or of a later one (an earlier one, if negative); Unix seconds. */
  start: ((seconds: number, later?: number) => number) | null;
  /** Seconds of the shortest bucket, and of the longest; 0 for blocks, which are no buckets. */
  least: number;
  most: number;
  /** The names of the periods of objects, and of the one that begins at a time. A period keeps its name while it grows. */
  period: RegExp;
  periodName: (fromSeconds: number) => string;
  /** Series of one answer of /v3/series. */
  mostSeries: number;
}

/** One object holds the whole history. */
const WHOLE = { period: /^all$/, periodName: () => "all" };

/** The table of resolutions. */
export const RESOLUTION_FACTS = {
  day: {
    start: fixedStart(BUCKET_SECONDS.day),
    least: BUCKET_SECONDS.day,
    most: BUCKET_SECONDS.day,
    ...WHOLE,
    mostSeries: 240,
  },
  hour: {
    start: fixedStart(BUCKET_SECONDS.hour),
    least: BUCKET_SECONDS.hour,
    most: BUCKET_SECONDS.hour,
    // The year.
    period: /^\d{4}$/,
    periodName: (seconds) => isoDay(seconds).slice(0, 4),
    mostSeries: 64,
  },
  block: {
    start: null,
    least: 0,
    most: 0,
    // The first month, or the first day if that is not the month's.
    period: /^\d{4}-\d\d(-\d\d)?$/,
    periodName: (seconds) => (seconds === monthStart(seconds) ? isoDay(seconds).slice(0, 7) : isoDay(seconds)),
    mostSeries: 32,
  },
  week: { start: weekStart, least: WEEK_SECONDS, most: WEEK_SECONDS, ...WHOLE, mostSeries: 240 },
  month: {
    start: monthStart,
    least: 28 * BUCKET_SECONDS.day,
    most: 31 * BUCKET_SECONDS.day,
    ...WHOLE,
    mostSeries: 240,
  },
} satisfies Record<Resolution, ResolutionFacts>;

/**
 * Does what `start` of `RESOLUTION_FACTS` does, for many times of which neighbours are mostly in one bucket: it asks
 * the calendar once a bucket.
 */
export function bucketFinder(resolution: BucketResolution): (seconds: number) => number {
  const startOf = RESOLUTION_FACTS[resolution].start;
  let [start, end] = [0, 0];
  return (seconds) => {
    if (seconds >= start && seconds < end) return start;
    start = startOf(seconds);
    end = startOf(start, 1);
    return start;
  };
}

export const isHourMultiple = (resolution: Resolution): resolution is HourMultiple =>
  (HOUR_MULTIPLES as readonly Resolution[]).includes(resolution);

/** Whether the buckets of a resolution are days, or are made of them. */
export const isCalendar = (resolution: Resolution): boolean =>
  resolution === "day" || (CALENDAR_RESOLUTIONS as readonly Resolution[]).includes(resolution);

export const nextMonthStart = (seconds: number): number => monthStart(seconds, 1);
export const nextYearStart = (seconds: number): number => yearStart(seconds, 1);

/** The name of the period that begins at a time, Unix seconds, in object keys. Source: docs/formats.md#periods. */
export const periodName = (resolution: Resolution, fromSeconds: number): string =>
  RESOLUTION_FACTS[resolution].periodName(fromSeconds);

/** The starts of all buckets that begin between two times, inclusive; Unix seconds. */
export function bucketStarts(resolution: BucketResolution, since: number, until: number): Float64Array {
  const startOf = RESOLUTION_FACTS[resolution].start;
  const starts: number[] = [];
  for (let start = startOf(since); start <= until; start = startOf(start, 1)) if (start >= since) starts.push(start);
  return Float64Array.from(starts);
}
