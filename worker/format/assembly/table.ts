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

/** `HH:MM:SS` follows the date. */
const TIME_BYTES: usize = 19;

/** What a row begins with that has a time as text: all up to its first number, with a gap for the time. */
const head: usize = memory.data(textsBytes + 64, 16);

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
  const isIso = timeForm === ISO;
  const headBytes = isIso ? composeHead(columns, hasBlock) : 0;
  const dateAt = lengthOf(OPEN);
  // Later than any time, so that the first row writes its date.
  let midnight = u64.MAX_VALUE >> 1;
  let yearAndMonth: u64 = 0;
  let day: u32 = 0;
  const columnBytes = (<usize>rows) << 3;
  for (let row: usize = 0; row < <usize>rows; row++) {
    if (isIso) {
      const time = <u64>load<f64>(times + 8 * row);
      if (time - midnight >= DAY_SECONDS) {
        const days = time / DAY_SECONDS;
        midnight = days * DAY_SECONDS;
        writeDate(date, <u32>days);
        yearAndMonth = load<u64>(date);
        day = load<u32>(date, 8);
      }
      copy(at, head, headBytes);
      store<u64>(at + dateAt, yearAndMonth);
      store<u32>(at + dateAt, day, 8);
      store<u64>(at + dateAt, clock(<u32>(time - midnight)), 11);
      at += headBytes;
    } else {
      at = copyText(at, OPEN);
      if (timeForm === UNIX) at = writeNumber(at, load<f64>(times + 8 * row));
      at = copyToNumber(at, columns, hasBlock);
    }
    if (hasBlock) {
      at = writeNumber(at, load<f64>(blocks + 8 * row));
      if (columns > 0) at = copyText(at, FIRST_COLUMN);
    }
    let cell = cells + 8 * row;
    for (let column: usize = 0; column < <usize>columns; column++) {
      if (column > 0) at = copyText(at, FIRST_COLUMN + column);
      const value = load<f64>(cell);
      at = isMissing(value) ? copyText(at, MISSING) : writeNumber(at, value);
      cell += columnBytes;
    }
    at = copyText(at, CLOSE);
  }
  return at - text;
}

/** Writes `head`. Returns its length. */
function composeHead(columns: i32, hasBlock: bool): usize {
  return copyToNumber(copyText(head, OPEN) + TIME_BYTES, columns, hasBlock) - head;
}

/** Copies what lies between a time and the number that follows it. Returns where it ends. */
function copyToNumber(at: usize, columns: i32, hasBlock: bool): usize {
  at = copyText(at, AFTER_TIME);
  if (hasBlock) return copyText(at, BEFORE_BLOCK);
  return columns > 0 ? copyText(at, FIRST_COLUMN) : at;
}

/** Whether a value is NaN: its exponent has all bits, its fraction some. */
function isMissing(value: f64): bool {
  return (reinterpret<u64>(value) & 0x7fff_ffff_ffff_ffff) > 0x7ff0_0000_0000_0000;
}

/** Copies one of the texts. Returns where it ends. */
function copyText(at: usize, place: usize): usize {
  return copy(at, texts + <usize>load<u32>(ends + 4 * place), lengthOf(place));
}

function lengthOf(place: usize): usize {
  return <usize>load<u32>(ends + 4 * place, 4) - <usize>load<u32>(ends + 4 * place);
}

/** Copies a text by sixteen bytes. Returns where it ends. */
function copy(at: usize, from: usize, length: usize): usize {
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
