/** Formatting alone: points of full precision in memory, to bytes, repeatedly; by the kernel, and by JavaScript alone. */

import type { Slice } from "../../../data-schema/parquet.ts";
import { monthStart, nextMonthStart } from "../../../data-schema/registry.ts";
import { GZIP_POINTS, gzip } from "../../../worker/format/gzip.ts";
import type { Rows } from "../../../worker/format/rows-and-pieces.ts";
import { CSV, RowWriter } from "../../../worker/format/table-rows.ts";
import { SERIES_FORMS } from "../../../worker/table/v1-body.ts";
import { DAY, FORMATTED_POINTS, HISTORY, HOUR } from "../queries.ts";

/** About as many hours as one piece of a stream has. */
const CAPACITY = 2_048;

const points: Slice = {
  t: Float64Array.from({ length: CAPACITY }, (_, index) => HISTORY.from + index * HOUR),
  v: Float64Array.from({ length: CAPACITY }, (_, index) => 1e6 * Math.abs(Math.sin(index + 1))),
};

const ROWS: Rows = { t: points.t, block: null, columns: [points.v] };

/** Names of columns, whose number divides that of the points. */
const WIDE_NAMES = Array.from({ length: 32 }, (_, index) => `BENCH:volume:${index}`);

/** Bytes of text of `FORMATTED_POINTS` points; by `gzip`, of compressed CSV. */
export const formatting = {
  kernel: () => {
    const { writer } = SERIES_FORMS.json;
    return repeat(() => writer.write(ROWS, 0, CAPACITY).length);
  },
  wide: () => {
    const writer = new RowWriter(CSV.row(WIDE_NAMES, false, "iso"));
    const rows = CAPACITY / WIDE_NAMES.length;
    const columns = WIDE_NAMES.map((_, index) => points.v.subarray(index * rows, (index + 1) * rows));
    return repeat(() => writer.write({ t: points.t, block: null, columns }, 0, rows).length);
  },
  concatenation: () => {
    const encoder = new TextEncoder();
    return repeat(() => encoder.encode(concatenate(points, 0, CAPACITY, '},{"t":"', '","v":')).length);
  },
  gzip: async () => {
    let bytes = 0;
    const writer = new RowWriter(CSV.row(["v"], false, "iso"));
    // Each round compresses as many points as the Worker does in one answer.
    for (let done = 0; done < FORMATTED_POINTS; done += GZIP_POINTS) {
      const count = Math.min(GZIP_POINTS, FORMATTED_POINTS - done);
      let left = count;
      const text = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left === 0) return controller.close();
          left -= CAPACITY;
          controller.enqueue(writer.write(ROWS, 0, CAPACITY));
        },
      });
      const compressed = gzip({ content: text, points: count, sent: { points: count, bytes: 0 } })!;
      bytes += (await new Response(compressed).bytes()).length;
    }
    return bytes;
  },
};

function repeat(format: () => number): number {
  let bytes = 0;
  for (let done = 0; done < FORMATTED_POINTS; done += CAPACITY) bytes += format();
  return bytes;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
/** `THH:MM:` of each minute of a day. */
const MINUTES = Array.from({ length: 1440 }, (_, m) => `T${TWO_DIGITS[Math.floor(m / 60)]}:${TWO_DIGITS[m % 60]}:`);

/**
 * The text of points from index `from` up to `to`, exclusive, each with `between` before it: times as
 * `YYYY-MM-DDTHH:MM:SS` in UTC, numbers in the shortest form that reads back as the same double.
 *
 * What the kernel replaced, optimised: it concatenates text, and keeps what a time shares with the one before: month, day, minute. Objects and JSON.stringify
 * take several times as long.
 */
function concatenate({ t, v }: Slice, from: number, to: number, between: string, beforeValue: string): string {
  const midnight = `T00:00:00${beforeValue}`;
  const seconds = TWO_DIGITS.map((digits) => digits + beforeValue);
  let text = "";
  let [monthFrom, monthTo, month] = [0, 0, ""];
  let [dayFrom, day] = [Number.NaN, ""];
  let [minuteOfDay, minute] = [-1, ""];
  for (let i = from; i < to; i++) {
    const time = t[i]!;
    if (!(time >= dayFrom && time < dayFrom + DAY)) {
      if (!(time >= monthFrom && time < monthTo)) {
        monthFrom = monthStart(time);
        monthTo = nextMonthStart(time);
        month = between + new Date(monthFrom * 1000).toISOString().slice(0, "YYYY-MM-".length);
      }
      const dayOfMonth = Math.floor((time - monthFrom) / DAY);
      dayFrom = monthFrom + dayOfMonth * DAY;
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
