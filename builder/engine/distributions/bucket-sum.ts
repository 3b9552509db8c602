/** The sums of a bucket: exact, so that they depend on nothing but who is in it. */

import { scaleSignedToDouble, type TokenUnit } from "../amounts.ts";
import type { Change } from "./change-log.ts";

/** Digits of a cost: those of kernel/sums.ts, and some for carries. */
const COST_DIGITS = 76;
const BASE = 2 ** 32;

/** Digits in doubles: a day's changes are added before carries are resolved. */
export class BucketSum {
  addresses = 0;
  readonly #tokens: Float64Array;
  readonly #cost = new Float64Array(COST_DIGITS);
  /** What they round to, or what they did before the last change. */
  #supply = 0;
  #realisedCap = 0;
  #isRounded = true;

  /** @param balanceWords 32-bit words of a balance */
  constructor(balanceWords: number) {
    this.#tokens = new Float64Array(balanceWords + 2);
  }

  add({ addresses, at, tokenDigits, costDigits, lowestCost }: Change, words: Uint32Array): void {
    this.addresses += addresses;
    addSigned(this.#tokens, 0, words, at, tokenDigits);
    addSigned(this.#cost, lowestCost, words, at + tokenDigits, costDigits);
    this.#isRounded = false;
  }

  /** Of `DISTRIBUTION_FIELDS`: tokens, USD, and addresses. */
  values(unit: TokenUnit): [supply: number, realisedCap: number, addresses: number] {
    if (!this.#isRounded) {
      const tokens = resolveCarries(this.#tokens);
      this.#supply = unit.tokens(tokens, 0, tokens.length);
      this.#realisedCap = scaleSignedToDouble(resolveCarries(this.#cost), 0, COST_DIGITS, -1074);
      this.#isRounded = true;
    }
    return [this.#supply, this.#realisedCap, this.addresses];
  }
}

/** Adds a number in two's complement: its last digit has the sign. */
function addSigned(into: Float64Array, place: number, words: Uint32Array, at: number, count: number): void {
  for (let k = 0; k < count - 1; k++) into[place + k]! += words[at + k]!;
  if (count > 0) into[place + count - 1]! += words[at + count - 1]! | 0;
}

/** @returns a copy as 32-bit words, in two's complement */
function resolveCarries(digits: Float64Array): Uint32Array {
  const words = new Uint32Array(digits.length);
  let carry = 0;
  for (let k = 0; k < digits.length; k++) {
    const digit = digits[k]! + carry;
    carry = Math.floor(digit / BASE);
    words[k] = digits[k] = digit - carry * BASE;
  }
  return words;
}
