/**
 * Points → rows of text, written directly into memory: there is no string to make or to encode.
 *
 * A row is `between`, the time as `YYYY-MM-DDTHH:MM:SS`, `beforeValue`, the value.
 */

import { writeNumber } from "./number";

/** Points that one call takes. */
export const capacity: i32 = 4_096;
/** The longest row: twice 8, 19 and 24 characters. There is as much room before the first row and after the last. */
const ROW_BYTES = 64;

/** Unix seconds and values of the points, and the rows that the last call wrote. */
export const times: usize = memory.data(8 * capacity, 16);
export const values: usize = memory.data(8 * capacity, 16);
export const text: usize = memory.data(ROW_BYTES * (capacity + 2), 16) + ROW_BYTES;

/** The texts around time and value, up to 8 bytes each. */
export const between: usize = memory.data(8, 8);
export const beforeValue: usize = memory.data(8, 8);

/** `between`, the date, `T`. */
const prefix: usize = memory.data(24, 8);

const DAY_SECONDS: u64 = 86_400;

/**
 * Writes rows.
 *
 * @param count points, from the first on; times between 1970 and 9999, values finite
 * @param betweenLength bytes of `between`
 * @param beforeValueLength bytes of `beforeValue`
 * @returns bytes of text
 */
export function writeRows(count: i32, betweenLength: i32, beforeValueLength: i32): usize {
  let at = text;
  // Later than any time, so that the first row writes its date.
  let midnight = u64.MAX_VALUE >> 1;
  store<u64>(prefix, load<u64>(between));
  for (let i: usize = 0; i < <usize>count; i++) {
    const time = <u64>load<f64>(times + 8 * i);
    if (time - midnight >= DAY_SECONDS) {
      const day = time / DAY_SECONDS;
      midnight = day * DAY_SECONDS;
      writeDate(prefix + betweenLength, <u32>day);
    }
    store<u64>(at, load<u64>(prefix));
    store<u64>(at, load<u64>(prefix, 8), 8);
    store<u64>(at, load<u64>(prefix, 16), 16);
    at += betweenLength + 11;
    store<u64>(at, clock(<u32>(time - midnight)));
    store<u64>(at, load<u64>(beforeValue), 8);
    at = writeNumber(at + 8 + beforeValueLength, load<f64>(values + 8 * i));
  }
  return at - text;
}

/** `YYYY-MM-DDT` for a number of days since 1970. Source: Howard Hinnant, "chrono-compatible low-level date algorithms". */
function writeDate(at: usize, days: u32): void {
  // Days since 1 March of year 0, so that a leap day is the last of its year.
  const shifted = days + 719_468;
  const era = shifted / 146_097;
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + u32(month <= 2);

  const century = year / 100;
  store<u16>(at, twoDigits(century));
  store<u16>(at, twoDigits(year - century * 100), 2);
  store<u8>(at, 0x2d, 4);
  store<u16>(at, twoDigits(month), 5);
  store<u8>(at, 0x2d, 7);
  store<u16>(at, twoDigits(day), 8);
  store<u8>(at, 0x54, 10);
}

function twoDigits(value: u32): u16 {
  const tens = value / 10;
  return <u16>(0x3030 | tens | ((value - tens * 10) << 8));
}

/** `HH:MM:SS` for a second of the day: three numbers are split into digits at once. */
function clock(second: u32): u64 {
  const minutes = second / 60;
  const hours = minutes / 60;
  const numbers = <u64>hours | ((<u64>(minutes - hours * 60)) << 24) | ((<u64>(second - minutes * 60)) << 48);
  const tens = ((numbers * 103) >> 10) & 0x000f_0000_0f00_000f;
  return 0x30_30_3a_30_30_3a_30_30 | tens | ((numbers - tens * 10) << 8);
}
