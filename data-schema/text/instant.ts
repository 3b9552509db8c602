/** The times that requests and formulas accept. Source: docs/api.md#time. */

const UNIX_SECONDS = /^-?\d{1,11}$/;
const UNIX_MILLISECONDS = /^-?\d{12,13}$/;
const ISO =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:T(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<milli>\d{3}))?)?(?:Z|(?<sign>[+-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d))?)?$/;

/** The accepted forms as one regular expression without named groups, which any JSON Schema validator reads. */
export const INSTANT_PATTERN: string = [UNIX_SECONDS, ISO]
  .map(({ source }) => source.replaceAll(/\?<\w+>/g, "?:"))
  .join("|");

/** Says what is wrong with a time, in a clause that follows the parameter's name. */
export class InstantError extends Error {
  override name = "InstantError";
}

/**
 * Unix seconds, with a fraction if the text has one.
 *
 * @throws {InstantError} not one of the accepted forms, or a time that the calendar does not have
 */
export function parseInstant(text: string): number {
  if (UNIX_SECONDS.test(text)) return Number(text);
  if (UNIX_MILLISECONDS.test(text)) {
    throw new InstantError(`looks like milliseconds; in seconds it is ${Math.floor(Number(text) / 1000)}`);
  }
  const fields = ISO.exec(text)?.groups;
  if (fields === undefined) throw new InstantError("is neither Unix seconds nor an ISO 8601 time");

  const number = (name: string) => Number(fields[name] ?? 0);
  const midnight = new Date(0);
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  midnight.setUTCFullYear(number("year"), number("month") - 1, number("day"));
  const real =
    // A day that the month does not have rolls over into the next.
    midnight.getUTCMonth() === number("month") - 1 &&
    midnight.getUTCDate() === number("day") &&
    number("hour") < 24 &&
    number("minute") < 60 &&
    number("second") < 60 &&
    number("offsetHour") < 24 &&
    number("offsetMinute") < 60;
  if (!real) throw new InstantError("is no time of the calendar");

  const offset = (fields.sign === "-" ? -1 : 1) * (number("offsetHour") * 3600 + number("offsetMinute") * 60);
  const seconds = number("hour") * 3600 + number("minute") * 60 + number("second") - offset;
  return (midnight.getTime() + seconds * 1000 + number("milli")) / 1000;
}
