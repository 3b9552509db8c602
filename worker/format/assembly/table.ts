/**
 * Rows of several values → text, written directly into memory.
 *
 * A row is `open`, its time, `afterTime`, then `beforeBlock` and its block, then for each column the text before its
 * values and the value or `missing`, then `close`. Times and blocks may be left out.
 */

import { writeNumber } from "./short-number";
import { clock, DAY_SECONDS, writeDate } from "./time";

/** Values that one call takes, and rows. */
export const cellCapacity: i32 = 16_384;
export const rowCapacity: i32 = 16_384;
/** Columns of a row: as many as an answer has series. */
export const columnCapacity: i32 = 240;
/** The bytes of all texts around the values. */
export const textsBytes: i32 = 32_768;
/** The bytes that one call writes, at most. */
export const textBytes: i32 = 393_216;

/** Unix seconds, block numbers and values; the values of each column lie side by side. NaN is a missing value. */
export const times: usize = memory.data(8 * rowCapacity, 16);
export const blocks: usize = memory.data(8 * rowCapacity, 16);
export const cells: usize = memory.data(8 * cellCapacity, 16);

/** The texts one after the other, in the order of `TEXTS` and then of the columns, and where each of them ends. */
export const texts: usize = memory.data(textsBytes + 16, 16);
export const ends: usize = memory.data(4 * (columnCapacity + 8), 16);

/** The rows that the last call wrote. A number may overwrite 40 bytes after it. */
export const text: usize = memory.data(textBytes + 64, 16);

/** Places of the texts. */
const OPEN: usize = 0;
const AFTER_TIME: usize = 1;
const BEFORE_BLOCK: usize = 2;
const MISSING: usize = 3;
const CLOSE: usize = 4;
const FIRST_COLUMN: usize = 5;

/** How a time is written. */
const ISO: i32 = 1;
const UNIX: i32 = 2;

/** `YYYY-MM-DDT`. */
const date: usize = memory.data(24, 8);

/**
 * Writes rows.
 *
 * @param rows at most `rowCapacity`; their text must fit into `textBytes`
 * @param columns values of a row
 * @param timeForm 0 for rows without a time
 * @param hasBlock whether rows have a block
 * @returns bytes of text
 */
export function writeTable(rows: i32, columns: i32, timeForm: i32, hasBlock: bool): usize {
  let at = text;
  // Later than any time, so that the first row writes its date.
  let midnight = u64.MAX_VALUE >> 1;
  const columnBytes = (<usize>rows) << 3;
  for (let row: usize = 0; row < <usize>rows; row++) {
    at = copyText(at, OPEN);
    if (timeForm === ISO) {
      const time = <u64>load<f64>(times + 8 * row);
      if (time - midnight >= DAY_SECONDS) {
        const day = time / DAY_SECONDS;
        midnight = day * DAY_SECONDS;
        writeDate(date, <u32>day);
      }
      store<u64>(at, load<u64>(date));
      store<u64>(at, load<u64>(date, 8), 8);
      store<u64>(at, clock(<u32>(time - midnight)), 11);
      at += 19;
    } else if (timeForm === UNIX) {
      at = writeNumber(at, load<f64>(times + 8 * row));
    }
    at = copyText(at, AFTER_TIME);
    if (hasBlock) at = writeNumber(copyText(at, BEFORE_BLOCK), load<f64>(blocks + 8 * row));
    let cell = cells + 8 * row;
    for (let column: usize = 0; column < <usize>columns; column++) {
      at = copyText(at, FIRST_COLUMN + column);
      const value = load<f64>(cell);
      at = isMissing(value) ? copyText(at, MISSING) : writeNumber(at, value);
      cell += columnBytes;
    }
    at = copyText(at, CLOSE);
  }
  return at - text;
}

/** Whether a value is NaN: its exponent has all bits, its fraction some. */
function isMissing(value: f64): bool {
  return (reinterpret<u64>(value) & 0x7fff_ffff_ffff_ffff) > 0x7ff0_0000_0000_0000;
}

/** Copies one of the texts, by sixteen bytes. Returns where it ends. */
function copyText(at: usize, place: usize): usize {
  let from = texts + <usize>load<u32>(ends + 4 * place);
  const length = <usize>load<u32>(ends + 4 * place, 4) + texts - from;
  const end = at + length;
  // Nearly all texts are that short: a branch that is always taken costs nothing.
  v128.store(at, v128.load(from));
  while (at + 16 < end) {
    at += 16;
    from += 16;
    v128.store(at, v128.load(from));
  }
  return end;
}
