/** The sums of a bucket: exact, so that they depend on nothing but who is in it. */

import { scaleSignedToDouble, type TokenUnit, toBigInt } from "../history/amounts.ts";
import type { DistributionChange } from "./change-log.ts";

/** Digits of a cost: those of assembly/sums.ts, and some for carries. */
const COST_DIGITS = 76;
const BASE = 2 ** 32;

export class BucketSum {
  addresses = 0;
  readonly #tokens: WideSum;
  readonly #cost = new WideSum(COST_DIGITS);
  /** What they round to, or what they did before the last change. */
  #supply = 0;
  #realisedCap = 0;
  #isRounded = true;
  #raw: bigint | undefined;

  /** @param balanceWords 32-bit words of a balance */
  constructor(balanceWords: number) {
    this.#tokens = new WideSum(balanceWords + 2);
  }

  add({ addresses, at, tokenDigits, costDigits, lowestCost }: DistributionChange, words: Uint32Array): void {
    this.addresses += addresses;
    this.#tokens.add(0, words, at, tokenDigits);
    this.#cost.add(lowestCost, words, at + tokenDigits, costDigits);
    this.#isRounded = false;
    this.#raw = undefined;
  }

  /** The exact supply, in raw units. */
  get raw(): bigint {
    if (this.#raw === undefined) {
      const { words, end } = this.#tokens.resolve();
      this.#raw = toBigInt(words, 0, end);
    }
    return this.#raw;
  }

  /** The values of `DISTRIBUTION_FIELDS`: tokens, USD, and addresses. */
  values(unit: TokenUnit): [supply: number, realisedCap: number, addresses: number] {
    if (!this.#isRounded) {
      const tokens = this.#tokens.resolve();
      this.#supply = unit.tokens(tokens.words, 0, tokens.end);
      const cost = this.#cost.resolve();
      this.#realisedCap = scaleSignedToDouble(cost.words, cost.first, cost.end - cost.first, 32 * cost.first - 1074);
      this.#isRounded = true;
    }
    return [this.#supply, this.#realisedCap, this.addresses];
  }
}

/** A sum in digits of doubles: many numbers are added before carries are resolved, and only those digits that they reach. */
class WideSum {
  readonly #digits: Float64Array;
  readonly #words: Uint32Array;
  /** The digits that may be other than 0. */
  #first: number;
  #end = 0;

  constructor(length: number) {
    this.#digits = new Float64Array(length);
    this.#words = new Uint32Array(length);
    this.#first = length;
  }

  /** Adds a number in two's complement: its last digit has the sign. */
  add(place: number, words: Uint32Array, at: number, count: number): void {
    if (count === 0) return;
    for (let k = 0; k < count - 1; k++) this.#digits[place + k]! += words[at + k]!;
    this.#digits[place + count - 1]! += words[at + count - 1]! | 0;
    this.#first = Math.min(this.#first, place);
    this.#end = Math.max(this.#end, place + count);
  }

  /** The sum as 32-bit words in two's complement, from `first` to `end`: valid until the next change. */
  resolve(): { words: Uint32Array; first: number; end: number } {
    const [digits, words] = [this.#digits, this.#words];
    let carry = 0;
    let k = this.#first;
    for (; k < this.#end || (carry !== 0 && k < digits.length); k++) {
      const digit = digits[k]! + carry;
      carry = Math.floor(digit / BASE);
      words[k] = digits[k] = digit - carry * BASE;
    }
    this.#end = Math.max(this.#end, k);
    // One digit more, which has the sign.
    const end = Math.min(digits.length, this.#end + 1);
    return { words, first: Math.min(this.#first, end - 1), end };
  }
}
