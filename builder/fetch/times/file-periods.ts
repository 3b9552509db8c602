/**
 * Which files an asset's transfers go to: a file a month, a day, or an hour of the running day.
 * Source: docs/chain.md#layout.
 */

import { DAY_SECONDS, HOUR_SECONDS, isoDay, isoHour } from "../../../data-schema/text.ts";

/** A month, day or hour, and the file of its transfers. */
export interface FetchedPeriod {
  /** `2019-05`, `2026-11-20` or `2026-11-20T14`. */
  name: string;
  /** Unix seconds: [start, end). */
  start: number;
  end: number;
}

/**
 * The files of a first fetch: whole calendar months, then the days of the last, incomplete month.
 *
 * @param first time of the asset's first block
 * @param asOf midnight after the last day to be fetched, later than `first`
 */
export function firstPeriods(first: number, asOf: number): FetchedPeriod[] {
  const periods: FetchedPeriod[] = [];
  let month = monthOf(first);
  for (; month.end <= asOf; month = monthOf(month.end)) periods.push(month);
  return [...periods, ...days(Math.max(month.start, startOfDay(first)), asOf)];
}

/** The files of every later fetch: a file a day. Both times are midnights. */
export function days(from: number, asOf: number): FetchedPeriod[] {
  const periods: FetchedPeriod[] = [];
  for (let start = from; start < asOf; start += DAY_SECONDS) {
    periods.push({ name: isoDay(start), start, end: start + DAY_SECONDS });
  }
  return periods;
}

/** The files of the hours of a running day. Both times are ends of hours. */
export function hours(from: number, asOf: number): FetchedPeriod[] {
  const periods: FetchedPeriod[] = [];
  for (let start = from; start < asOf; start += HOUR_SECONDS) {
    periods.push({ name: isoHour(start), start, end: start + HOUR_SECONDS });
  }
  return periods;
}

/** The month or day of a file, such as `transfers/2026-11-20.parquet`. */
export function periodOf(file: string): FetchedPeriod {
  const [, name = "", day] = file.match(/(\d{4}-\d\d(-\d\d)?)\.parquet$/) ?? [];
  if (day === undefined) return monthOf(Date.parse(`${name}-01`) / 1000);
  const start = Date.parse(name) / 1000;
  return { name, start, end: start + DAY_SECONDS };
}

export const startOfDay = (seconds: number) => Math.floor(seconds / DAY_SECONDS) * DAY_SECONDS;
export const startOfHour = (seconds: number) => Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS;

/** The calendar month of a time. */
export function monthOf(seconds: number): FetchedPeriod {
  const date = new Date(seconds * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = Date.UTC(year, month) / 1000;
  return { name: isoDay(start).slice(0, 7), start, end: Date.UTC(year, month + 1) / 1000 };
}
