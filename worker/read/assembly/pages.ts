/**
 * Pages of Parquet → numbers: zstd, then PLAIN or BYTE_STREAM_SPLIT doubles, or DELTA_BINARY_PACKED whole numbers.
 *
 * Whoever calls it first reserves places, and writes the stored bytes to `stored`. Damaged bytes end in an exception.
 */

import { bitsAt, check } from "./bits";
import { decompress, SLACK } from "./zstd";

/** The stored bytes, those of the page, and its numbers. They move when more memory is reserved. */
export let stored: usize = 0;
export let page: usize = 0;
export let numbers: usize = 0;
let storedBytes: usize = 0;
let pageBytes: usize = 0;

/** Where what is reserved begins: after all tables. */
const free: usize = (__heap_base + 63) & ~63;
const MEMORY_PAGE: usize = 65_536;
/** The most of each, so that sums of addresses stay within 32 bits. */
const MOST_RESERVED: usize = 1 << 27;

/** Makes room for so many stored bytes, bytes of the page, and numbers of 64 bits. */
export function reserve(bytes: usize, length: usize, rows: usize): void {
  check(bytes <= MOST_RESERVED && length <= MOST_RESERVED && rows <= MOST_RESERVED);
  storedBytes = bytes;
  pageBytes = length;
  stored = free;
  page = (stored + bytes + SLACK + 63) & ~63;
  numbers = (page + length + 2 * SLACK + 63) & ~63;
  const end = numbers + 8 * rows + 2 * SLACK;
  const missing = <i32>((end + MEMORY_PAGE - 1) / MEMORY_PAGE) - memory.size();
  if (missing > 0) check(memory.grow(missing) >= 0);
}

/** Decompresses the stored bytes. */
export function inflate(): void {
  decompress(stored, stored + storedBytes, page, pageBytes);
}

/** Decompresses doubles. */
export function doubles(rows: i32, isSplit: bool): void {
  check(pageBytes === 8 * <usize>rows);
  if (!isSplit) {
    decompress(stored, stored + storedBytes, numbers, pageBytes);
    return;
  }
  inflate();
  // Sixteen rows at once; what follows the last one is not looked at.
  for (let row: usize = 0; row < <usize>rows; row += 16) {
    const at = page + row;
    const count = <usize>rows;
    const a = v128.load(at);
    const b = v128.load(at + count);
    const c = v128.load(at + 2 * count);
    const d = v128.load(at + 3 * count);
    const e = v128.load(at + 4 * count);
    const f = v128.load(at + 5 * count);
    const g = v128.load(at + 6 * count);
    const h = v128.load(at + 7 * count);
    const to = numbers + 8 * row;
    joinRows(to, lowPairs(a, b), lowPairs(c, d), lowPairs(e, f), lowPairs(g, h));
    joinRows(to + 64, highPairs(a, b), highPairs(c, d), highPairs(e, f), highPairs(g, h));
  }
}

function lowPairs(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

function highPairs(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/** Writes eight rows of which four vectors have two bytes each. */
function joinRows(to: usize, ab: v128, cd: v128, ef: v128, gh: v128): void {
  const lowABCD = i16x8.shuffle(ab, cd, 0, 8, 1, 9, 2, 10, 3, 11);
  const highABCD = i16x8.shuffle(ab, cd, 4, 12, 5, 13, 6, 14, 7, 15);
  const lowEFGH = i16x8.shuffle(ef, gh, 0, 8, 1, 9, 2, 10, 3, 11);
  const highEFGH = i16x8.shuffle(ef, gh, 4, 12, 5, 13, 6, 14, 7, 15);
  v128.store(to, i32x4.shuffle(lowABCD, lowEFGH, 0, 4, 1, 5));
  v128.store(to, i32x4.shuffle(lowABCD, lowEFGH, 2, 6, 3, 7), 16);
  v128.store(to, i32x4.shuffle(highABCD, highEFGH, 0, 4, 1, 5), 32);
  v128.store(to, i32x4.shuffle(highABCD, highEFGH, 2, 6, 3, 7), 48);
}

/** Where the next of the page's bytes is read. */
let at: usize = 0;

function varint(): u64 {
  let value: u64 = 0;
  let byte: u64 = 0x80;
  for (let shift: u64 = 0; byte >= 0x80; shift += 7) {
    check(at < page + pageBytes && shift < 64);
    byte = <u64>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
  }
  return value;
}

function zigzag(): i64 {
  const value = varint();
  return <i64>(value >> 1) ^ -(<i64>(value & 1));
}

/** Decompresses whole numbers, and divides them. */
export function integers(rows: i32, divisor: f64): void {
  inflate();
  at = page;
  const end = page + pageBytes;
  const blockValues = varint();
  const miniblocks = varint();
  check(varint() === <u64>rows && miniblocks > 0 && miniblocks <= 512 && blockValues <= 1 << 20);
  const size = blockValues / miniblocks;
  check(size > 0 && size % 8 === 0);
  let value = zigzag();
  let to = numbers;
  const last = numbers + 8 * <usize>rows;
  if (to < last) {
    store<f64>(to, <f64>value / divisor);
    to += 8;
  }
  while (to < last) {
    const least = zigzag();
    const widths = at;
    at += <usize>miniblocks;
    for (let miniblock: usize = 0; miniblock < <usize>miniblocks && to < last; miniblock++) {
      check(at <= end);
      const width = <u64>load<u8>(widths + miniblock);
      const from = at;
      at += <usize>((size * width) >> 3);
      check((width <= 56 || width === 64) && at <= end);
      const until = min(to + 8 * <usize>size, last);
      if (width === 64) {
        for (let k = from; to < until; k += 8, to += 8) {
          value += least + load<i64>(k);
          store<f64>(to, <f64>value / divisor);
        }
      } else {
        for (let bit: i64 = 0; to < until; bit += <i64>width, to += 8) {
          value += least + <i64>bitsAt(from, bit, width);
          store<f64>(to, <f64>value / divisor);
        }
      }
    }
  }
}
