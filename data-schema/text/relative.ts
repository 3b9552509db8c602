/** Times that count back from the last published bucket: `-30d`, `-12h`, `-4w`, `-6m`, `-1y`. */

import { DAY_SECONDS, HOUR_SECONDS } from "./seconds.ts";

/** The first time that a Date has, Unix seconds. */
const EARLIEST = -8.64e12;

/** A span of time before the last published bucket. */
export interface Relative {
  count: number;
  unit: Unit;
}

/** The time that lies so many units before another; both in Unix seconds. */
const UNITS = {
  h: (seconds: number, count: number) => seconds - count * HOUR_SECONDS,
  d: (seconds: number, count: number) => seconds - count * DAY_SECONDS,
  w: (seconds: number, count: number) => seconds - count * 7 * DAY_SECONDS,
  m: (seconds: number, count: number) => monthsBefore(seconds, count),
  y: (seconds: number, count: number) => monthsBefore(seconds, 12 * count),
} as const;
type Unit = keyof typeof UNITS;

const PATTERN = /^-(\d{1,6})([hdwmy])$/;

/** A regular expression for JSON Schema. */
export const RELATIVE_PATTERN: string = PATTERN.source;

export const RELATIVE_FORMS = ["-<n>h, -<n>d, -<n>w, -<n>m, -<n>y before the last published point"];

/** The span that a text means; undefined if it is not relative. */
export function parseRelative(text: string): Relative | undefined {
  const [, count, unit] = PATTERN.exec(text) ?? [];
  return count === undefined ? undefined : { count: Number(count), unit: unit as Unit };
}

/** The time that lies a span before another; both in Unix seconds. */
export function before(seconds: number, { count, unit }: Relative): number {
  return UNITS[unit](seconds, count);
}

/**
 * The same day and time of an earlier month, or the last day of a month that is too short for it; no earlier than a Date
 * can tell.
 */
function monthsBefore(seconds: number, count: number): number {
  const date = new Date(seconds * 1000);
  const midnight = Math.floor(seconds / DAY_SECONDS) * DAY_SECONDS;
  const first = new Date(0);
  first.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() - count, 1);
  if (Number.isNaN(first.getTime())) return EARLIEST;
  const next = new Date(first);
  next.setUTCMonth(first.getUTCMonth() + 1);
  const days = Math.round((next.getTime() - first.getTime()) / (1000 * DAY_SECONDS));
  return first.getTime() / 1000 + (Math.min(date.getUTCDate(), days) - 1) * DAY_SECONDS + (seconds - midnight);
}
