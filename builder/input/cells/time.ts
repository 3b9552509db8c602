/** Parses times: Unix seconds, or ISO 8601 and the forms of it that BigQuery, Dune and Snowflake write. Always whole seconds, UTC. */

/** Unix seconds have at most 11 digits. Longer numbers are milliseconds or finer units. */
const UNIX_SECONDS = /^\d{1,11}$/;
export const TIME_LIMIT = 1e11;

/** A date alone means its midnight. A time without an offset is in UTC. A fraction must be zero. */
const ISO_8601 =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.0+)?(?: ?(?:UTC|GMT|Z)| ?([+-])(\d\d)(?::?([0-5]\d))?(?: UTC)?)?)?$/;

/** What is wrong with texts that `parseTime` refuses. */
export const TIME_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/^\d{12,14}$/, "looks like milliseconds: divide by 1000"],
  [/^\d{15,}$/, "looks like microseconds or finer: whole seconds are needed"],
  [/^-\d+$/, "is before 1970"],
  [/\d[.,]\d*[1-9]\d*( ?(UTC|GMT|Z)| ?[+-][\d:]+( UTC)?)?$/, "has a fraction of a second"],
  [/^\d+[.]\d*$/, "is not a whole number of seconds"],
  [ISO_8601, "is not a valid date and time from 1970 on"],
];

/** @returns Unix seconds; undefined if the text has none of the accepted forms */
export function parseTime(text: string): number | undefined {
  if (UNIX_SECONDS.test(text)) return Number(text);
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, date, minutes = "00:00", seconds = ":00", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const local = `${date}T${minutes}${seconds}.000Z`;
  const milliseconds = Date.parse(local);
  // Date.parse accepts 24:00 and 30 February, and shifts them to another day.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== local) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -60 : 60);
  const time = milliseconds / 1000 - offset;
  return time >= 0 && time < TIME_LIMIT ? time : undefined;
}

const FRACTION = /(?<=:\d\d)\.(\d+)/;

/**
 * Parses the end of a candle. Many exports give its last moment: 23:59:59.999 or 23:59:59 where midnight is meant. Candles
 * end with a minute, so the time is rounded up to one. Digits are seconds, milliseconds, microseconds or nanoseconds.
 *
 * @returns Unix seconds; undefined if the text has none of the accepted forms
 */
export const parseCloseTime = (text: string): number | undefined => parseRounded(text, 60);

/** Parses the moment of a price, as `parseCloseTime`, but rounded up to a second. */
export const parseMoment = (text: string): number | undefined => parseRounded(text, 1);

function parseRounded(text: string, step: number): number | undefined {
  const fraction = FRACTION.exec(text)?.[1] ?? "0";
  const whole = parseTime(text.replace(FRACTION, ""));
  const seconds = /^\d{12,20}$/.test(text)
    ? Number(text) / 1000 ** Math.floor((text.length - 9) / 3)
    : whole! + Number(`0.${fraction}`);
  const end = Math.ceil(seconds / step) * step;
  return end < TIME_LIMIT ? end : undefined;
}
