/**
 * Points → rows of text, written directly into memory: there is no string to make or to encode.
 *
 * A row is `between`, the time as `YYYY-MM-DDTHH:MM:SS`, `beforeValue`, the value.
 */

import { writeNumber } from "./number";
import { clock, DAY_SECONDS, writeDate } from "./time";

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
