/**
 * Exact token amounts: unsigned integers as little-endian 32-bit words inside larger `Uint32Array`s, and their
 * correctly rounded value in whole tokens. Source: methodology §1 "tokens(raw)".
 */

const WORD = 0x1_0000_0000;

/** target += source. Sums that need more than `targetWords` words must not occur. */
export function addAmount(
  target: Uint32Array,
  targetAt: number,
  targetWords: number,
  source: Uint32Array,
  sourceAt: number,
  sourceWords: number,
): void {
  let carry = 0;
  for (let k = 0; k < targetWords && (k < sourceWords || carry !== 0); k++) {
    const sum = target[targetAt + k] + (k < sourceWords ? source[sourceAt + k] : 0) + carry;
    target[targetAt + k] = sum;
    carry = sum >= WORD ? 1 : 0;
  }
}

/** target −= source. Returns false, with the target as it was, when the source is larger. */
export function subtractAmount(
  target: Uint32Array,
  targetAt: number,
  targetWords: number,
  source: Uint32Array,
  sourceAt: number,
  sourceWords: number,
): boolean {
  let borrow = 0;
  for (let k = 0; k < targetWords; k++) {
    const difference = target[targetAt + k] - (k < sourceWords ? source[sourceAt + k] : 0) - borrow;
    target[targetAt + k] = difference;
    borrow = difference < 0 ? 1 : 0;
  }
  if (borrow === 0) return true;
  addAmount(target, targetAt, targetWords, source, sourceAt, sourceWords);
  return false;
}

/** The amount as a BigInt: for messages, edges and hard roundings, not for the replay. */
export function toBigInt(words: Uint32Array, at: number, count: number): bigint {
  let value = 0n;
  for (let k = count - 1; k >= 0; k--) value = (value << 32n) | BigInt(words[at + k]);
  return value;
}

/** Writes a non-negative BigInt below 2^(32·count). */
export function fromBigInt(value: bigint, words: Uint32Array, at: number, count: number): void {
  for (let k = 0; k < count; k++) words[at + k] = Number((value >> BigInt(32 * k)) & 0xffff_ffffn);
}

/** Words that hold every number below 2^bits. */
export function wordsForBits(bits: number): number {
  return Math.max(1, Math.ceil(bits / 32));
}

/** Relative bound, with a wide margin, on the error of the double-double quotient in `tokens`. */
const QUOTIENT_ERROR = 2 ** -95;

/** Converts raw amounts of an asset to whole tokens. */
export class TokenUnit {
  readonly #decimals: number;
  /** 10^decimals as the sum of two doubles; the second is 0 up to 10^22. */
  readonly #power: number;
  readonly #powerRest: number;

  constructor(decimals: number) {
    this.#decimals = decimals;
    const power = 10n ** BigInt(decimals);
    this.#power = Number(power);
    this.#powerRest = Number(power - BigInt(this.#power));
  }

  /**
   * raw / 10^decimals, correctly rounded to a double.
   *
   * The quotient is taken in double-double arithmetic (T. J. Dekker, "A floating-point technique for extending the
   * available precision", 1971). Where its error might change the rounding, about once in 2^40, the exact decimal
   * text decides: reading a decimal is correctly rounded.
   */
  tokens(words: Uint32Array, at: number, count: number): number {
    let high = 0;
    let low = 0;
    for (let k = count - 1; k >= 0; k--) {
      const word = words[at + k];
      if (high === 0) {
        high = word;
        continue;
      }
      // (high + low) · 2^32 + word, renormalised; scaling by 2^32 is exact.
      const scaled = high * WORD;
      const rest = low * WORD + word;
      high = scaled + rest;
      low = rest - (high - scaled);
    }
    const quotient = high / this.#power;
    if (low === 0 && this.#powerRest === 0) return quotient;
    const correction = (productError(quotient, this.#power, high) + low - quotient * this.#powerRest) / this.#power;
    const error = quotient * QUOTIENT_ERROR;
    const below = quotient + (correction - error);
    if (below === quotient + (correction + error)) return below;
    return Number(`${toBigInt(words, at, count)}e-${this.#decimals}`);
  }
}

const SPLITTER = 2 ** 27 + 1;

/** target − a·b, where a·b is within a rounding of the target: exact, by splitting both factors into halves. */
function productError(a: number, b: number, target: number): number {
  const aScaled = SPLITTER * a;
  const aHigh = aScaled - (aScaled - a);
  const aLow = a - aHigh;
  const bScaled = SPLITTER * b;
  const bHigh = bScaled - (bScaled - b);
  const bLow = b - bHigh;
  const product = a * b;
  const error = aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
  return target - product - error;
}
