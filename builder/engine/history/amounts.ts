/**
 * Exact token amounts: unsigned integers as little-endian 32-bit words inside larger `Uint32Array`s, and their
 * correctly rounded value in whole tokens. Source: docs/methodology.md §1.
 */

import { quotientOf } from "../double-double.ts";

const WORD = 0x1_0000_0000;

/** The amount as a BigInt: for messages, edges and hard roundings, not for the replay. */
export function toBigInt(words: Uint32Array, at: number, count: number): bigint {
  let value = 0n;
  for (let k = count - 1; k >= 0; k--) value = (value << 32n) | BigInt(words[at + k]!);
  return value;
}

/** Writes a non-negative BigInt below 2^(32·count). */
export function fromBigInt(value: bigint, words: Uint32Array, at: number, count: number): void {
  for (let k = 0; k < count; k++) words[at + k] = Number((value >> BigInt(32 * k)) & 0xffff_ffffn);
}

export function isZero(words: Uint32Array, at: number, count: number): boolean {
  for (let k = 0; k < count; k++) if (words[at + k] !== 0) return false;
  return true;
}

/** The number of 32-bit words that hold a number. */
export function wordCount(value: bigint): number {
  return Math.max(1, Math.ceil(value.toString(2).length / 32));
}

/** What `doubleDouble` leaves: the lower of its two doubles. A pair for each amount would be garbage. */
let lowerDouble = 0;

/**
 * Some words of an amount, from the highest down to the lowest, as the unevaluated sum of two doubles.
 *
 * @returns the higher of them
 */
function doubleDouble(words: Uint32Array, highest: number, lowest: number): number {
  let high = 0;
  let low = 0;
  for (let k = highest; k >= lowest; k--) {
    // (high + low) · 2^32 + word, renormalised; scaling by 2^32 is exact.
    const scaled = high * WORD;
    const rest = low * WORD + words[k]!;
    high = scaled + rest;
    low = rest - (high - scaled);
  }
  lowerDouble = low;
  return high;
}

/** Converts raw amounts of an asset to whole tokens. */
export class TokenUnit {
  readonly #decimals: number;
  /** 10^decimals as the sum of two doubles; the second is 0 up to 10^22. */
  readonly power: number;
  readonly powerRest: number;

  constructor(decimals: number) {
    this.#decimals = decimals;
    const power = 10n ** BigInt(decimals);
    this.power = Number(power);
    this.powerRest = Number(power - BigInt(this.power));
  }

  /**
   * raw / 10^decimals, correctly rounded to a double.
   *
   * The quotient is taken in double-double arithmetic. Where its error could change the rounding, about once in 2^40,
   * the exact decimal text decides: parsing a decimal is correctly rounded.
   */
  tokens(words: Uint32Array, at: number, count: number): number {
    const high = doubleDouble(words, at + count - 1, at);
    const quotient = quotientOf(high, lowerDouble, this.power, this.powerRest);
    return Number.isNaN(quotient) ? Number(`${toBigInt(words, at, count)}e-${this.#decimals}`) : quotient;
  }
}

/**
 * A whole number times 2^exponent as a double, from its four highest words: correctly rounded, except where lower words
 * would decide a tie.
 */
function scaleToDouble(words: Uint32Array, at: number, count: number, exponent: number): number {
  let top = count - 1;
  while (top >= 0 && words[at + top] === 0) top--;
  const last = Math.max(0, top - 3);
  const high = doubleDouble(words, at + top, at + last);
  // In two steps, because the power itself may be out of the range of a double.
  const power = exponent + 32 * last;
  return high * 2 ** Math.floor(power / 2) * 2 ** Math.ceil(power / 2);
}

/** Scales a number in two's complement like `scaleToDouble`; a negative number's words become its magnitude. */
export function scaleSignedToDouble(words: Uint32Array, at: number, count: number, exponent: number): number {
  if (words[at + count - 1]! < 0x8000_0000) return scaleToDouble(words, at, count, exponent);
  let carry = 1;
  for (let k = at; k < at + count; k++) {
    const negated = (~words[k]! >>> 0) + carry;
    words[k] = negated;
    carry = negated > 0xffff_ffff ? 1 : 0;
  }
  return -scaleToDouble(words, at, count, exponent);
}
