/**
 * Doubles as JavaScript writes them: those that have no exponent, in a third of the time of number.ts, which has the
 * others and all doubts.
 *
 * Sixteen digits of the shortest decimal are a quotient, and the seventeenth is of its fraction. Here 64 bits of a power
 * of ten are enough: where the 128 of Schubfach could decide otherwise, which is about one number in 170, number.ts
 * writes the number. The digits lie in one vector, from which a shuffle takes those before the point, and another those
 * after it, so that no branch depends on digits. Source of the rule: Yaoyuan Guo, yy_double; Victor Zverovich, Żmij.
 */

import { writeExactly } from "./number";
import { powerOfTen } from "./powers";

/** Where a fraction of 64 bits may lie: at most one unit of the quotient's 64 bits, 2^53, above what is computed. */
const DOUBT: u64 = 1 << 53;
/** What else is cut off. */
const CUT: u64 = 1 << 23;
/** The same of ten times the fraction, in 60 bits. */
const DOUBT_OF_DIGIT: u64 = 10 * (1 << 49) + CUT;
const DIGIT_FRACTION: u64 = (1 << 60) - 1;

/** Places of the digits of a vector for shuffles that begin at any of them, or up to 16 before or after; 0xff gives 0. */
const PLACES: usize =
  memory.data<u8>([
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1, 2, 3, 4, 5, 6,
    7, 8, 9, 10, 11, 12, 13, 14, 15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
  ]) + 16;

// Vectors of constants: they are read faster than the engine makes them from code. The first sets the sign of digits above 0.
const ABOVE_ZERO: usize = memory.data<u64>([0x7f7f7f7f_7f7f7f7f, 0x7f7f7f7f_7f7f7f7f], 16);
const ZEROS: usize = memory.data<u64>([0x30303030_30303030, 0x30303030_30303030], 16);
const BY_TEN_THOUSAND: usize = memory.data<u32>([0xd1b71759, 0xd1b71759, 0xd1b71759, 0xd1b71759], 16);
const TEN_THOUSANDS: usize = memory.data<u32>([10_000, 10_000, 10_000, 10_000], 16);
const BY_HUNDRED: usize = memory.data<u32>([5_243, 5_243, 5_243, 5_243], 16);
const HUNDREDS: usize = memory.data<u32>([100, 100, 100, 100], 16);
const BY_TEN: usize = memory.data<u16>([103, 103, 103, 103, 103, 103, 103, 103], 16);
const TENS: usize = memory.data<u16>([2_559, 2_559, 2_559, 2_559, 2_559, 2_559, 2_559, 2_559], 16);

/** Writes a finite number at `at`; it may overwrite the 40 bytes after it. Returns where the text ends. */
export function writeNumber(at: usize, value: f64): usize {
  const bits = reinterpret<u64>(value);
  const fraction = bits & 0x000f_ffff_ffff_ffff;
  const biased = <i32>(bits >> 52) & 0x7ff;
  // Zeros and numbers below 2^-1022; powers of two, whose lower neighbour is nearer, unless all their digits are here.
  if (biased === 0 || (fraction === 0 && <u32>(biased - 1023) > 52)) return writeExactly(at, value);

  // value = c · 2^q, and 10^k is between that 2^q and ten times as much.
  const c = fraction | 0x0010_0000_0000_0000;
  const q = biased - 1075;
  const k = ((q * 1_262_611) >> 22) + 1;
  const point = 16 + k;
  const power = load<u64>(powerOfTen(-k));
  const shift = q + ((-k * 1_741_647) >> 19) + 12;

  // value / 10^k: 53 bits before the point, and 64 after it, of which 43 are computed.
  const factor = c << (<u64>shift);
  const a0 = factor & 0xffff_ffff;
  const a1 = factor >> 32;
  const b0 = power & 0xffff_ffff;
  const b1 = power >> 32;
  const cross = a0 * b1;
  const middle = a1 * b0 + ((a0 * b0) >> 32) + (cross & 0xffff_ffff);
  const upper = a1 * b1 + (middle >> 32) + (cross >> 32);
  const rest = (upper << 53) | ((middle & 0xffff_ffff) << 21);
  // Half the distance to the next double.
  const half = power >> <u64>(12 - shift);

  const tenth = (rest >> 4) * 10 + (((<u64>1) << 59) + DOUBT_OF_DIGIT);
  const isDoubtful =
    i32(rest - half + (DOUBT + CUT) <= DOUBT + 2 * CUT) |
    i32(rest + half + (DOUBT + CUT) <= DOUBT + 2 * CUT) |
    i32((tenth & DIGIT_FRACTION) <= DOUBT_OF_DIGIT + CUT) |
    i32(<u32>(point + 4) > 20);
  if (isDoubtful) return writeExactly(at, value);

  store<u8>(at, 0x2d);
  at += <usize>(bits >> 63);

  // The quotient itself, or the next one, if it reads back as the value; else one more digit.
  const isNext = rest > ~half;
  const sixteen = (upper >> 11) + u64(isNext);
  const seventeenth = isNext || rest < half ? 0 : <u32>(tenth >> 60);

  const digits = sixteenDigits(sixteen);
  const significant =
    32 - <i32>clz(i8x16.bitmask(i8x16.add(digits, v128.load(ABOVE_ZERO))) | (i32(seventeenth !== 0) << 16));
  // The place of the first digit that is written: the second if the first is 0, or the last 0 before the point.
  const first = min(i32(sixteen < 1_000_000_000_000_000), point - 1);
  const before = <usize>(point - first);
  v128.store(at, v128.or(v128.swizzle(digits, v128.load(PLACES + first)), v128.load(ZEROS)));
  store<u8>(at + before, 0x2e);
  v128.store(at + before, v128.or(v128.swizzle(digits, v128.load(PLACES + point)), v128.load(ZEROS)), 1);
  if (point < 0) {
    v128.store(at + before, v128.or(v128.swizzle(digits, v128.load(PLACES + point + 16)), v128.load(ZEROS)), 17);
  }
  store<u8>(at + 17 - first, <u8>(seventeenth | 0x30));
  return at + (significant > point ? <usize>(significant - first + 1) : before);
}

/** The digits of a number below 10^16, one a byte: eights, fours, pairs, then digits, all at once. */
function sixteenDigits(value: u64): v128 {
  const upper = value / 100_000_000;
  const eights = i64x2.splat(upper | ((value - upper * 100_000_000) << 32));
  // ⌊x · 3,518,437,209 / 2^45⌋ = ⌊x / 10,000⌋ for x < 2^32.
  const thousands = i64x2.shr_u(i64x2.extmul_low_i32x4_u(eights, v128.load(BY_TEN_THOUSAND)), 45);
  const belowThousands = i32x4.sub(
    i64x2.extend_low_i32x4_u(eights),
    i32x4.dot_i16x8_s(thousands, v128.load(TEN_THOUSANDS)),
  );
  const fours = v128.or(thousands, i64x2.shl(belowThousands, 32));
  const hundreds = i32x4.shr_u(i32x4.dot_i16x8_s(fours, v128.load(BY_HUNDRED)), 19);
  const belowHundreds = i32x4.sub(fours, i32x4.dot_i16x8_s(hundreds, v128.load(HUNDREDS)));
  const pairs = v128.or(hundreds, i32x4.shl(belowHundreds, 16));
  const tens = i16x8.shr_u(i16x8.mul(pairs, v128.load(BY_TEN)), 10);
  return i16x8.sub(i16x8.shl(pairs, 8), i16x8.mul(tens, v128.load(TENS)));
}
