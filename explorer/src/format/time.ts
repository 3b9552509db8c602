/** Times: Unix seconds in the program, ISO 8601 in requests, and English on the page. Always UTC. */

import type { Resolution } from "../api/catalog.ts";

/** Seconds. */
export const DAY = 86_400;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Parses a date, a time as the API writes it (without an offset), or a time with an offset; NaN for anything else. */
export function parseTime(text: string): number {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{3})?)?(Z|[+-]\d\d:\d\d)?)?$/;
  if (!form.test(text)) return Number.NaN;
  return Date.parse(/T.*(Z|[+-]\d\d:\d\d)$/.test(text) || text.length === 10 ? text : `${text}Z`) / 1000;
}

/** The shortest form that the API accepts: `2025-03-01`, `2025-03-01T09:30` or `2025-03-01T09:30:15`. */
export function shortTime(seconds: number): string {
  const text = isoTime(seconds);
  if (text.endsWith("T00:00:00")) return text.slice(0, 10);
  return text.endsWith(":00") ? text.slice(0, 16) : text;
}

/** The form that the API writes: `2025-03-01T09:30:15`. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** A bucket's time: `3 Mar 2025` for a day, otherwise with the time of day. */
export function bucketTime(seconds: number, resolution: Resolution): string {
  const date = new Date(seconds * 1000);
  const day = `${dayAndMonth(date)} ${date.getUTCFullYear()}`;
  if (resolution === "day") return day;
  const clock = date.toISOString().slice(11, resolution === "hour" ? 16 : 19);
  return `${day}, ${clock} UTC`;
}

/** Labels of a time axis with ticks `step` seconds apart. Each states only what changed since the previous one. */
export function timeTicks(seconds: readonly number[], step: number): string[] {
  return seconds.map((tick, i) => {
    const date = new Date(tick * 1000);
    const isMidnight = tick % DAY === 0;
    const year = String(date.getUTCFullYear());
    if (isMidnight && date.getUTCMonth() === 0 && date.getUTCDate() === 1) return year;
    if (step >= 28 * DAY) return i === 0 ? `${monthName(date)} ${year}` : monthName(date);
    if (isMidnight) return i === 0 ? `${dayAndMonth(date)} ${year}` : dayAndMonth(date);
    const clock = date.toISOString().slice(11, step >= 60 ? 16 : 19);
    return i === 0 ? `${dayAndMonth(date)} ${clock}` : clock;
  });
}

const monthName = (date: Date) => MONTHS[date.getUTCMonth()]!;
const dayAndMonth = (date: Date) => `${date.getUTCDate()} ${monthName(date)}`;
