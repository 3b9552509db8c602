/** Points in time as input files write them: Unix seconds, or ISO 8601 and BigQuery's form of it. Always whole seconds, UTC. */

/** Unix seconds of at most 11 digits: 12 and more are milliseconds, or finer. */
const UNIX_SECONDS = "[0-9]{1,11}";

/** A date alone is its midnight; a time without an offset is UTC. A fraction must be zeros. */
const ISO_8601 =
  "[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.]0+)?)?( ?UTC|Z|[+-][0-9]{2}(:[0-9]{2})?)?)?";

const MAX_SECONDS = 99_999_999_999;

const UNIX_PATTERN = new RegExp(`^${UNIX_SECONDS}$`);
const ISO_PATTERN = new RegExp(`^${ISO_8601}$`);

/** What is wrong with a text that `parseTime` refuses. */
export const TIME_PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/^\d{12,14}$/, "looks like milliseconds: divide by 1000"],
  [/^\d{15,}$/, "looks like microseconds or finer: whole seconds are needed"],
  [/^-\d+$/, "is before 1970"],
  [/\d[.,]\d*[1-9]\d*( ?UTC|Z|[+-][\d:]+)?$/, "has a fraction of a second"],
  [/^\d+[.]\d*$/, "is not a whole number of seconds"],
  [ISO_PATTERN, "is no date of the calendar from 1970 on"],
];

/** Unix seconds of a text, or undefined if it is none of the accepted forms. */
export function parseTime(text: string): number | undefined {
  if (UNIX_PATTERN.test(text)) return Number(text);
  if (!ISO_PATTERN.test(text)) return undefined;
  const field = (from: number, to: number) => Number(text.slice(from, to));
  const [year, month, day] = [field(0, 4), field(5, 7), field(8, 10)];
  const [hour, minute] = [field(11, 13), field(14, 16)];
  const second = text[16] === ":" ? field(17, 19) : 0;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  // Date.UTC turns 02-30 into 03-01 (and the year 20 into 1920): such a text is not the date it became.
  const calendar = new Date(local).toISOString();
  const asWritten = `${text.slice(0, 10)}T${text.slice(11, 16) || "00:00"}:${text[16] === ":" ? text.slice(17, 19) : "00"}`;
  if (!calendar.startsWith(asWritten)) return undefined;
  const [, sign, hours, minutes = "0"] = /([+-])(\d\d)(?::(\d\d))?$/.exec(text.slice(11)) ?? [];
  const offset = sign ? (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) : 0;
  if (Number(minutes) > 59 || Number(hours ?? 0) > 15) return undefined;
  const seconds = local / 1000 - offset * 60;
  return seconds >= 0 && seconds <= MAX_SECONDS ? seconds : undefined;
}

/** Whole seconds from SQL microseconds; NULL for a fraction or outside the range. */
function wholeSeconds(microseconds: string): string {
  return `CASE WHEN ${microseconds} % 1000000 = 0 AND ${microseconds} BETWEEN 0 AND ${MAX_SECONDS}000000 THEN ${microseconds} // 1000000 END`;
}

/** SQL for the Unix seconds in a text column; NULL where `parseTime` answers undefined. Needs TimeZone = UTC. */
export function textTimeSql(column: string): string {
  const iso = wholeSeconds(`epoch_us(TRY_CAST(${column} AS TIMESTAMPTZ))`);
  return `CASE WHEN regexp_full_match(${column}, '${UNIX_SECONDS}') THEN TRY_CAST(${column} AS BIGINT)
    WHEN regexp_full_match(${column}, '${ISO_8601}') THEN ${iso} END`;
}

/** SQL for the Unix seconds in a column of whole numbers. */
export function integerTimeSql(column: string): string {
  return `CASE WHEN ${column} BETWEEN 0 AND ${MAX_SECONDS} THEN TRY_CAST(${column} AS BIGINT) END`;
}

/** SQL for the Unix seconds in a column of dates or timestamps of any precision. */
export function timestampTimeSql(column: string, type: string): string {
  if (type !== "TIMESTAMP_NS") return wholeSeconds(`epoch_us(${column})`);
  return `CASE WHEN epoch_ns(${column}) % 1000000000 = 0 AND epoch_ns(${column}) >= 0 THEN epoch_ns(${column}) // 1000000000 END`;
}

/** `2020-01-01T00:00:00Z`, for messages. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
