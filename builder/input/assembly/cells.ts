/**
 * Decodes addresses and values from texts: a chunk's, in DuckDB's memory layout, or those of a page. builder/input/cells/words.ts calls it. It
 * accepts exactly what the rules of builder/input/cells/rules.ts accept.
 */

import { allocate, startLayout } from "../../engine/assembly/memory";

/** An item has 4 bytes of length, then the text itself if it has at most 12 bytes, else its first 4 bytes and a pointer. */
const ITEM: usize = 16;
const INLINE: u32 = 12;

/** Longer texts are not fetched: no rule accepts them. */
const MOST_DIGITS: u32 = 78;

/** Smaller gaps between two texts are padding. */
const PADDING: u64 = 8;

const ADDRESS: usize = 20;
const VALUE: usize = 32;

/** Input: the items of a column. */
export let items: usize = 0;
/** Input: the texts of all stretches, one after the other. */
export let bytes: usize = 0;
/** The first row and the number of bytes of each stretch. */
export let stretches: usize = 0;
/** Where each row's text begins: set by `findStretches`, or input. */
export let starts: usize = 0;
/** Output: the little-endian words of each row's address or value. */
export let words: usize = 0;
/** Output: 1 for each refused row, as u8. */
export let refused: usize = 0;

export function setup(rows: u32): void {
  startLayout();
  items = allocate(ITEM * rows);
  bytes = allocate((MOST_DIGITS + <usize>PADDING) * rows);
  stretches = allocate(8 * rows);
  words = allocate(VALUE * rows);
  refused = allocate(rows);
  starts = allocate(4 * rows);
}

/** Finds stretches of adjacent texts in DuckDB's memory: fetching each text by a call of its own would take longer than decoding. */
export function findStretches(rows: i32): i32 {
  let count = 0;
  let begin: u64 = 0;
  let end: u64 = 0;
  let target = bytes;
  for (let row = 0; row < rows; row++) {
    const item = items + ITEM * row;
    const length = load<u32>(item);
    if (length <= INLINE) {
      store<u32>(starts + 4 * row, <u32>(item + 4));
      continue;
    }
    if (length > MOST_DIGITS) continue;
    const pointer = load<u64>(item, 8);
    if (count === 0 || pointer - end >= PADDING) {
      target += <usize>(end - begin);
      store<u32>(stretches + 8 * count, row);
      count++;
      begin = pointer;
    }
    store<u32>(starts + 4 * row, <u32>(target + <usize>(pointer - begin)));
    end = pointer + length;
    store<u32>(stretches + 8 * count - 8, <u32>(end - begin), 4);
  }
  return count;
}

/** Decodes addresses. Returns the number of refused rows. */
export function decodeAddresses(rows: i32): i32 {
  let wrong = 0;
  for (let row = 0; row < rows; row++) {
    const right = load<u32>(items + ITEM * row) === 42 && address(load<u32>(starts + 4 * row), words + ADDRESS * row);
    store<u8>(refused + row, right ? 0 : 1);
    wrong += right ? 0 : 1;
  }
  return wrong;
}

/** Decodes values in decimal digits. Returns the number of refused rows. */
export function decodeValues(rows: i32): i32 {
  let wrong = 0;
  for (let row = 0; row < rows; row++) {
    const length = load<u32>(items + ITEM * row);
    const right =
      length > 0 && length <= MOST_DIGITS && value(load<u32>(starts + 4 * row), length, words + VALUE * row);
    store<u8>(refused + row, right ? 0 : 1);
    wrong += right ? 0 : 1;
  }
  return wrong;
}

/** Decodes 0x and 40 hexadecimal digits. Returns false for any other text. */
function address(at: usize, to: usize): bool {
  // Ignores the bit in which x and X differ.
  if ((load<u16>(at) | 0x2000) !== 0x7830) return false;
  const first = v128.load(at, 2);
  const second = v128.load(at, 18);
  // The last 16 digits; 8 of them were decoded before.
  const last = v128.load(at, 26);
  if (!v128.all_true<i8>(v128.and(v128.and(areHex(first), areHex(second)), areHex(last)))) return false;
  v128.store(to, v128.narrow<u16>(pairs(first), pairs(second)));
  v128.store64_lane(to + 12, v128.narrow<u16>(pairs(last), pairs(last)), 0);
  return true;
}

/** −1 in the lane of each character that is a hexadecimal digit. */
function areHex(characters: v128): v128 {
  const digits = v128.sub<i8>(characters, i8x16.splat(0x30));
  const letters = v128.sub<i8>(v128.or(characters, i8x16.splat(0x20)), i8x16.splat(0x61));
  return v128.or(v128.lt<u8>(digits, i8x16.splat(10)), v128.lt<u8>(letters, i8x16.splat(6)));
}

/** The values of 16 hexadecimal digits in pairs, as 16-bit numbers. */
function pairs(characters: v128): v128 {
  // Letters have bit 6 set, and their low four bits count from 1.
  const letters = v128.shr<u8>(v128.and(characters, i8x16.splat(0x40)), 6);
  const nine = v128.add<i8>(v128.shl<i8>(letters, 3), letters);
  const numbers = v128.add<i8>(v128.and(characters, i8x16.splat(0x0f)), nine);
  return v128.or(v128.and(v128.shl<i16>(numbers, 4), i16x8.splat(0xf0)), v128.shr<u16>(numbers, 8));
}

const ZEROS: u64 = 0x3030303030303030;

/** The top bit of a byte is set once a group had a character other than a digit there. */
let notDigits: u64 = 0;

/** The value of 8 digits, the first of them in the lowest byte. */
function eight(characters: u64): u64 {
  notDigits |= (characters + 0x4646464646464646) | (characters - ZEROS);
  let number = characters - ZEROS;
  number = number * 10 + (number >> 8);
  return (
    ((number & 0x000000ff000000ff) * 0x000f424000000064 + ((number >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
    32
  );
}

/** Decodes 1 to 78 digits to a 256-bit number. Returns false for other characters, or if it is too large. */
function value(at: usize, length: u32, to: usize): bool {
  notDigits = 0;
  // The leading digits, padded with zeros, so that whole groups of 8 remain.
  const lead = ((length - 1) & 7) + 1;
  let number = eight((load<u64>(at) << (64 - 8 * lead)) | shiftedOut(ZEROS, 8 * lead));
  let from = at + lead;
  const end = at + length;
  if (from < end) {
    number = number * 100_000_000 + eight(load<u64>(from));
    from += 8;
  }
  store<u64>(to, number);
  store<u64>(to, 0, 8);
  v128.store(to, i64x2.splat(0), 16);
  let used: usize = 8;
  for (; from < end; from += 8) {
    let carry = eight(load<u64>(from));
    for (let word: usize = 0; word < used; word += 4) {
      carry += <u64>load<u32>(to + word) * 100_000_000;
      store<u32>(to + word, <u32>carry);
      carry >>= 32;
    }
    if (carry > 0) {
      if (used === VALUE) return false;
      store<u32>(to + used, <u32>carry);
      used += 4;
    }
  }
  return (notDigits & 0x8080808080808080) === 0;
}

/** Shifts a word down by 8 to 64 bits. */
function shiftedOut(word: u64, bits: u32): u64 {
  return bits === 64 ? 0 : word >> bits;
}
