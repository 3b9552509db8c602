/** Exact amounts: unsigned integers of `limbs` 64-bit limbs, least significant first. Source: docs/methodology.md §1. */

import { quotientOf } from "../double-double";

/** 10^decimals as the sum of two doubles. */
let power: f64 = 1;
let powerRest: f64 = 0;
/** 64-bit limbs per balance. */
export let limbs: i32 = 0;
/** 32-bit words per value of an event; never more than a balance has. */
export let words: i32 = 0;

export function setupBalances(limbCount: i32, wordCount: i32, powerOfTen: f64, powerOfTenRest: f64): void {
  limbs = limbCount;
  words = wordCount;
  power = powerOfTen;
  powerRest = powerOfTenRest;
}

/** The driver's correctly rounded quotient, for amounts where double-double arithmetic cannot decide the rounding. */
declare function decimalTokens(amount: usize, count: i32): f64;

function valueLimb(value: usize, limb: i32): u64 {
  const low = 2 * limb < words ? <u64>load<u32>(value + 8 * limb) : 0;
  const high = 2 * limb + 1 < words ? <u64>load<u32>(value + 8 * limb, 4) : 0;
  return low | (high << 32);
}

export function isZero(value: usize): bool {
  let bits: u32 = 0;
  for (let k = 0; k < words; k++) bits |= load<u32>(value + 4 * k);
  return bits === 0;
}

/** balance += value; the caller makes sure that the sum fits. */
export function addValue(balance: usize, value: usize): void {
  let carry: u64 = 0;
  for (let k = 0; k < limbs; k++) {
    const before = load<u64>(balance + 8 * k);
    const added = before + valueLimb(value, k);
    const sum = added + carry;
    carry = <u64>(added < before) | <u64>(sum < added);
    store<u64>(balance + 8 * k, sum);
  }
}

/** Whether the balance is smaller than the value. */
export function isLess(balance: usize, value: usize): bool {
  for (let k = limbs - 1; k >= 0; k--) {
    const held = load<u64>(balance + 8 * k);
    const taken = valueLimb(value, k);
    if (held !== taken) return held < taken;
  }
  return false;
}

/** balance −= value, which must not be larger. */
export function subtractValue(balance: usize, value: usize): void {
  let borrow: u64 = 0;
  for (let k = 0; k < limbs; k++) {
    const before = load<u64>(balance + 8 * k);
    const taken = valueLimb(value, k);
    const difference = before - taken;
    store<u64>(balance + 8 * k, difference - borrow);
    borrow = <u64>(before < taken) | <u64>(difference < borrow);
  }
}

/** Whether the balance is at least the edge. */
export function reaches(balance: usize, edge: usize): bool {
  for (let k = limbs - 1; k >= 0; k--) {
    const held = load<u64>(balance + 8 * k);
    const least = load<u64>(edge + 8 * k);
    if (held !== least) return held > least;
  }
  return true;
}

const WORD: f64 = 4294967296;

/** An amount of `count` 32-bit words in whole tokens, correctly rounded. `TokenUnit.tokens` explains the method. */
export function tokensOf(amount: usize, count: i32): f64 {
  let high: f64 = 0;
  let low: f64 = 0;
  for (let k = count - 1; k >= 0; k--) {
    const word = <f64>load<u32>(amount + 4 * k);
    if (high === 0) {
      high = word;
      continue;
    }
    const scaled = high * WORD;
    const rest = low * WORD + word;
    high = scaled + rest;
    low = rest - (high - scaled);
  }
  const quotient = quotientOf(high, low, power, powerRest);
  return Number.isNaN(quotient) ? decimalTokens(amount, count) : quotient;
}
