/**
 * A double as the shortest decimal that reads back as the same double, and the closest of several: the text that
 * JavaScript's `Number.prototype.toString` gives.
 *
 * Schubfach finds the digits. Source: Raffaello Giulietti, "The Schubfach way to render doubles" (2020), with the
 * integer arithmetic of Alexander Bolz's Drachennest (schubfach.cc). Layout of the digits: ECMA-262, Number::toString, radix 10.
 */

import { powerOfTen } from "./powers";

/** Significant digits of a number as text: 17, padded with zeros, then zeros for the up to 21 digits that are written. */
const digits: usize = memory.data(40, 16);

/** Eight characters as one number, the first in the lowest byte, as in memory. */
const ZEROS: u64 = 0x30_30_30_30_30_30_30_30;
const ZERO_POINT_ZEROS: u64 = 0x30_30_30_30_30_30_2e_30;

/** Writes a finite number at `at`; it may overwrite the 40 bytes after it. Returns where the text ends. */
export function writeExactly(at: usize, value: f64): usize {
  const bits = reinterpret<u64>(value);
  const magnitude = bits & 0x7fff_ffff_ffff_ffff;
  if (magnitude === 0) {
    // Both zeros: JavaScript writes -0 as 0, too.
    store<u8>(at, 0x30);
    return at + 1;
  }
  store<u8>(at, 0x2d);
  at += <usize>(bits >> 63);

  // value = c · 2^q
  const fraction = magnitude & 0x000f_ffff_ffff_ffff;
  const biased = <i32>(magnitude >> 52);
  const c = biased === 0 ? fraction : fraction | 0x0010_0000_0000_0000;
  const q = biased === 0 ? -1074 : biased - 1075;
  findShortest(c, q, u64(fraction === 0 && biased > 1));
  return writeDecimal(at);
}

/** What `writeDecimal` writes: decimal · 10^exponent, of 1 to 17 digits. */
let decimal: u64 = 0;
let exponent: i32 = 0;

/** Schubfach: sets `decimal` and `exponent` to c · 2^q, which is not 0. `isPower` is 1 if the lower neighbour is nearer. */
function findShortest(c: u64, q: i32, isPower: u64): void {
  // ⌊log₁₀ 2^q⌋, or of ¾ · 2^q for a power of two.
  const k = (q * 1_262_611 - <i32>isPower * 524_031) >> 22;
  // q + ⌊log₂ 10^-k⌋ + 1
  const shift = <u64>(q + ((-k * 1_741_647) >> 19) + 1);
  const power = powerOfTen(-k);
  const upper = load<u64>(power);
  const lower = load<u64>(power, 8);

  // Four times the value over 10^k, its fraction in 128 bits: words 2, 1, 0.
  const factor = c << (shift + 2);
  const carried = upperHalf(lower, factor);
  const value0 = lower * factor;
  const value1 = upper * factor + carried;
  const value2 = upperHalf(upper, factor) + u64(value1 < carried);
  // Four times the distance to the midpoint between the value and its upper neighbour: (upper, lower) · 2^(shift + 1).
  const above0 = lower << (shift + 1);
  const above1 = (upper << (shift + 1)) | (lower >> (63 - shift));
  const above2 = upper >> (63 - shift);
  // Four times the distance to the midpoint below the value: half of that above if the value is a power of two.
  const below0 = lower << (shift + 1 - isPower);
  const below1 = (upper << (shift + 1 - isPower)) | (lower >> (63 - shift + isPower));
  const below2 = upper >> (63 - shift + isPower);

  // The interval whose numbers read back as the value. Its bounds belong to it if c is even. All three are rounded to
  // odd, which keeps what the comparisons below need of the fraction.
  const odd = c & 1;
  const carry0 = u64(value0 + above0 < above0);
  const sum1 = value1 + above1;
  const to1 = sum1 + carry0;
  const to = ((value2 + above2 + u64(sum1 < above1 || to1 < carry0)) | u64(to1 > 1)) - odd;
  const borrow0 = u64(value0 < below0);
  const difference1 = value1 - below1;
  const from1 = difference1 - borrow0;
  const from = ((value2 - below2 - u64(value1 < below1 || difference1 < borrow0)) | u64(from1 > 1)) + odd;
  const middle = value2 | u64(value1 > 1);

  // Without branches, since they would be unpredictable.
  const near = middle >> 2;
  const shorter = near / 10;
  const shorterBelow = from <= 40 * shorter;
  const shorterAbove = 40 * shorter + 40 <= to;
  const isShorter = near >= 10 && shorterBelow !== shorterAbove;
  const isBelow = from <= 4 * near;
  const isAbove = 4 * near + 4 <= to;
  // If both or neither of the neighbours read back: the closer one, and the even one of two that are as close.
  const half = 4 * near + 2;
  const isCloser = middle > half || (middle === half && (near & 1) !== 0);
  const isUp = isBelow !== isAbove ? isAbove : isCloser;
  decimal = isShorter ? shorter + u64(shorterAbove) : near + u64(isUp);
  exponent = k + i32(isShorter);
}

/** The upper 64 of the 128 bits of a product. */
function upperHalf(a: u64, b: u64): u64 {
  const a0 = a & 0xffff_ffff;
  const a1 = a >> 32;
  const b0 = b & 0xffff_ffff;
  const b1 = b >> 32;
  const cross = a0 * b1;
  const middle = a1 * b0 + ((a0 * b0) >> 32) + (cross & 0xffff_ffff);
  return a1 * b1 + (middle >> 32) + (cross >> 32);
}

function writeDecimal(at: usize): usize {
  const count = countDigits(decimal);
  const padded = decimal * load<u64>(powersOfTen + <usize>((17 - count) << 3));
  const first = padded / 10_000_000_000_000_000;
  const rest = padded - first * 10_000_000_000_000_000;
  const upper = rest / 100_000_000;
  const middleDigits = eightDigits(upper);
  const lastDigits = eightDigits(rest - upper * 100_000_000);
  store<u8>(digits, <u8>first | 0x30);
  store<u64>(digits, middleDigits | ZEROS, 1);
  store<u64>(digits, lastDigits | ZEROS, 9);
  // A zero byte at the upper end is a zero at the end of the text.
  const significant = lastDigits !== 0 ? 17 - <i32>(clz(lastDigits) >> 3) : 9 - <i32>(clz(middleDigits) >> 3);

  // Digits before the decimal point.
  const point = count + exponent;
  if (point > 0 && point <= 21) {
    copy24(at, digits);
    if (significant <= point) return at + <usize>point;
    at += <usize>point;
    store<u8>(at, 0x2e);
    copy16(at + 1, digits + <usize>point);
    return at + 1 + <usize>(significant - point);
  }
  if (point > -6 && point <= 0) {
    store<u64>(at, ZERO_POINT_ZEROS);
    at += <usize>(2 - point);
    copy24(at, digits);
    return at + <usize>significant;
  }
  store<u8>(at, load<u8>(digits));
  at += 1;
  if (significant > 1) {
    store<u8>(at, 0x2e);
    copy16(at + 1, digits + 1);
    at += <usize>significant;
  }
  return writeExponent(at, point - 1);
}

function writeExponent(at: usize, exponent: i32): usize {
  store<u8>(at, 0x65);
  store<u8>(at, exponent < 0 ? 0x2d : 0x2b, 1);
  at += 2;
  const magnitude = <u32>abs(exponent);
  const count = <usize>(magnitude < 10 ? 1 : magnitude < 100 ? 2 : 3);
  store<u64>(at, (eightDigits(magnitude) | ZEROS) >> (64 - 8 * count));
  return at + count;
}

/** The eight digits of a number below 10^8, one a byte, the first in the lowest: fours, pairs, then digits, all at once. */
function eightDigits(value: u64): u64 {
  const thousands = value / 10_000;
  const fours = thousands | ((value - thousands * 10_000) << 32);
  const hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
  const twos = hundreds | ((fours - hundreds * 100) << 16);
  const tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
  return tens | ((twos - tens * 10) << 8);
}

/** 10^0 to 10^17. */
const powersOfTen: usize = memory.data<u64>([
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
  100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
  10_000_000_000_000_000, 100_000_000_000_000_000,
]);

/** Decimal digits of a number between 1 and 10^17. */
function countDigits(value: u64): i32 {
  // 1233 / 4096 approximates log₁₀ 2; the estimate is exact or one too low.
  const estimate = (<i32>(64 - clz(value)) * 1_233) >> 12;
  return estimate + i32(value >= load<u64>(powersOfTen + <usize>(estimate << 3)));
}

function copy16(to: usize, from: usize): void {
  store<u64>(to, load<u64>(from));
  store<u64>(to, load<u64>(from, 8), 8);
}

function copy24(to: usize, from: usize): void {
  copy16(to, from);
  store<u64>(to, load<u64>(from, 16), 16);
}

/** Zeros after the digits, written once. */
store<u64>(digits, ZEROS, 17);
store<u64>(digits, ZEROS, 24);
