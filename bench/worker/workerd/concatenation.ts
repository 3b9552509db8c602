/** Points → text in JavaScript alone, optimised: what the kernel replaced. */

import { monthStart, nextMonthStart } from "../../../data-schema/resolutions.ts";
import type { Slice } from "../../../data-schema/series.ts";
import type { Layout } from "../../../worker/format/layouts.ts";

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
/** `THH:MM:` of each minute of a day. */
const MINUTES = Array.from({ length: 1440 }, (_, m) => `T${TWO_DIGITS[Math.floor(m / 60)]}:${TWO_DIGITS[m % 60]}:`);

const DAY_SECONDS = 86_400;

/**
 * The text of points from index `from` up to `to`, exclusive, each with `between` before it: times as
 * `YYYY-MM-DDTHH:MM:SS` in UTC, numbers in the shortest form that reads back as the same double.
 *
 * Concatenates text, and keeps what a time shares with the one before: month, day, minute. Objects and JSON.stringify
 * take several times as long.
 */
export function concatenate({ t, v }: Slice, from: number, to: number, { between, beforeValue }: Layout): string {
  const midnight = `T00:00:00${beforeValue}`;
  const seconds = TWO_DIGITS.map((digits) => digits + beforeValue);
  let text = "";
  let [monthFrom, monthTo, month] = [0, 0, ""];
  let [dayFrom, day] = [Number.NaN, ""];
  let [minuteOfDay, minute] = [-1, ""];
  for (let i = from; i < to; i++) {
    const time = t[i]!;
    if (!(time >= dayFrom && time < dayFrom + DAY_SECONDS)) {
      if (!(time >= monthFrom && time < monthTo)) {
        monthFrom = monthStart(time);
        monthTo = nextMonthStart(time);
        month = between + new Date(monthFrom * 1000).toISOString().slice(0, "YYYY-MM-".length);
      }
      const dayOfMonth = Math.floor((time - monthFrom) / DAY_SECONDS);
      dayFrom = monthFrom + dayOfMonth * DAY_SECONDS;
      day = month + TWO_DIGITS[dayOfMonth + 1];
      minuteOfDay = -1;
    }
    const clock = time - dayFrom;
    if (clock === 0) {
      text += day + midnight + v[i];
      continue;
    }
    const thisMinute = Math.floor(clock / 60);
    if (thisMinute !== minuteOfDay) {
      minuteOfDay = thisMinute;
      minute = day + MINUTES[thisMinute];
    }
    text += minute + seconds[Math.floor(clock - thisMinute * 60)] + v[i];
  }
  return text;
}
