/**
 * Times: Unix seconds in the program, ISO 8601 and UTC in requests, and English on the page, in UTC or the reader's time
 * zone. Days, weeks and months are those of UTC in any zone, for so they are computed.
 */

import { isCalendar, RESOLUTION_FACTS } from "../../../data-schema/registry.ts";
import { DAY_SECONDS, isoTimeWithoutZone, parseInstant } from "../../../data-schema/text.ts";
import type { Resolution } from "../api/catalog.ts";

/** A name of the IANA database. */
export type TimeZone = string;
export const UTC: TimeZone = "UTC";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Parses a date, a time as the API writes it (without an offset), or a time with an offset; NaN for anything else. */
export function parseTime(text: string): number {
  try {
    return /^-?\d+$/.test(text) ? Number.NaN : parseInstant(text);
  } catch {
    return Number.NaN;
  }
}

/** The shortest form that the API accepts: `2025-03-01`, `2025-03-01T09:30` or `2025-03-01T09:30:15`. */
export function shortTime(seconds: number): string {
  const text = isoTimeWithoutZone(seconds);
  if (text.endsWith("T00:00:00")) return text.slice(0, 10);
  return text.endsWith(":00") ? text.slice(0, 16) : text;
}

/** `Mar 2025` */
export const monthText = (seconds: number): string => dateText(seconds).replace(/^\d+ /, "");

/** Months since the year 0, UTC. */
export function monthNumber(seconds: number): number {
  const date = new Date(seconds * 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** A day of UTC: `3 Mar 2025`. */
export function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return `${dayAndMonth(date)} ${date.getUTCFullYear()}`;
}

/** The time of a bucket or a block, in short: `Mar 2025`, `3–9 Mar 2025`, `3 Mar 2025`, or `3 Mar 2025, 09:00 UTC+1`. */
export function bucketTime(seconds: number, resolution: Resolution, zone: TimeZone): string {
  // A month is known by its name.
  if (resolution === "month") return monthText(seconds);
  if (isCalendar(resolution)) return daysText(seconds, lastDay(seconds, resolution));
  return `${clockText(seconds, resolution, zone)} ${offsetText(offsetAt(seconds, zone))}`;
}

/** All that a bucket covers, with the zone: `1–31 Mar 2025 UTC`, `3 Mar 2025 UTC`, or `3 Mar 2025, 09:00–10:00 UTC+1`. */
export function bucketSpan(seconds: number, resolution: Resolution, zone: TimeZone): string {
  if (isCalendar(resolution)) return `${daysText(seconds, lastDay(seconds, resolution))} UTC`;
  if (resolution === "block") return bucketTime(seconds, resolution, zone);
  const offset = offsetAt(seconds, zone);
  const end = isoTimeWithoutZone(seconds + bucketLength(seconds, resolution) + offset).slice(11, 16);
  return `${clockText(seconds, resolution, zone)}–${end} ${offsetText(offset)}`;
}

/** Seconds from the start of a bucket to its end; 0 for a block. */
export function bucketLength(seconds: number, resolution: Resolution): number {
  return (RESOLUTION_FACTS[resolution].start?.(seconds, 1) ?? seconds) - seconds;
}

/** The start of the last day of a day, a week or a month that begins at a time. */
function lastDay(seconds: number, resolution: Resolution): number {
  return seconds + bucketLength(seconds, resolution) - DAY_SECONDS;
}

/** Days of UTC, both inclusive: `3 Mar 2025`, `3–9 Mar 2025`, `31 Mar – 6 Apr 2025` or `30 Dec 2024 – 5 Jan 2025`. */
function daysText(first: number, last: number): string {
  const [from, to] = [dateText(first), dateText(last)];
  if (from === to) return from;
  const [fromDay, fromMonth, fromYear] = from.split(" ");
  const [, toMonth, toYear] = to.split(" ");
  if (fromYear !== toYear) return `${from} – ${to}`;
  return fromMonth === toMonth ? `${fromDay}–${to}` : `${fromDay} ${fromMonth} – ${to}`;
}

/** The time of a zone's clock, without the zone. */
function clockText(seconds: number, resolution: Resolution, zone: TimeZone): string {
  const local = seconds + offsetAt(seconds, zone);
  return `${dateText(local)}, ${isoTimeWithoutZone(local).slice(11, resolution === "hour" ? 16 : 19)}`;
}

/** Labels of a time axis with ticks `step` seconds apart. Each states only what changed since the previous one. */
export function timeTicks(seconds: readonly number[], step: number, zone: TimeZone): string[] {
  return seconds.map((tick, i) => {
    const date = new Date((tick + offsetAt(tick, zone)) * 1000);
    const isMidnight = date.getTime() % (DAY_SECONDS * 1000) === 0;
    const year = String(date.getUTCFullYear());
    if (isMidnight && date.getUTCMonth() === 0 && date.getUTCDate() === 1) return year;
    if (step >= 28 * DAY_SECONDS) return i === 0 ? `${monthName(date)} ${year}` : monthName(date);
    if (isMidnight) return i === 0 ? `${dayAndMonth(date)} ${year}` : dayAndMonth(date);
    const clock = date.toISOString().slice(11, step >= 60 ? 16 : 19);
    return i === 0 ? `${dayAndMonth(date)} ${clock}` : clock;
  });
}

const clocks = new Map<TimeZone, Intl.DateTimeFormat>();

/** Seconds by which a zone's clocks are ahead of UTC. */
function offsetAt(seconds: number, zone: TimeZone): number {
  if (zone === UTC) return 0;
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  clocks.set(zone, clock);
  const text = clock.formatToParts(seconds * 1000).find(({ type }) => type === "timeZoneName")?.value ?? "";
  // `GMT`, `GMT+09:00` or, before zones were standardised, `GMT-00:01:15`.
  const [, sign, hours = 0, minutes = 0, rest = 0] = /^GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest));
}

/** `UTC`, `UTC+9` or `UTC−3:30`. */
function offsetText(offset: number): string {
  if (offset === 0) return "UTC";
  const minutes = Math.round(Math.abs(offset) / 60);
  const rest = minutes % 60 === 0 ? "" : `:${String(minutes % 60).padStart(2, "0")}`;
  return `UTC${offset < 0 ? "\u2212" : "+"}${Math.floor(minutes / 60)}${rest}`;
}

const monthName = (date: Date) => MONTHS[date.getUTCMonth()]!;
const dayAndMonth = (date: Date) => `${date.getUTCDate()} ${monthName(date)}`;
