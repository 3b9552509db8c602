/**
 * Exact sums of when holders bought: of balance times purchase time, in raw units · 2^-22 seconds, and of cost times
 * purchase time, in 2^-1074 USD · 2^-22 seconds. Ages at a close follow from them and from the sums of balances and costs.
 * Source: docs/methodology.md §9.
 *
 * An accumulator is 32-bit digits in an i64 each, as in sums.ts: 2 · limbs + 2 of balances, then those of costs.
 */

import { limbs } from "./balance";
import { allocate } from "./memory";
import { COST_DIGITS, carry, costMantissa, costPosition, highestDigit, isCostNegative, lowestDigit } from "./sums";

/** 2^-22 seconds tell the doubles of all times after 2004 apart. */
const UNITS_A_SECOND: f64 = 4194304;
/** A time has two digits. */
const TIME_DIGITS: i32 = 2;
/** A cost has three, after it is shifted to its place; the product has one more, so that pairs of digits are added. */
const PLACED_COST_DIGITS: i32 = 3;
const COST_PRODUCT_DIGITS: i32 = PLACED_COST_DIGITS + TIME_DIGITS + 1;

let accumulatorCount: i32 = 0;
let accumulators: usize = 0;
let accumulatorBytes: usize = 0;
let costOffset: usize = 0;
/** The sums at the last close, with carries resolved: u32 digits, read by the driver. */
export let closingTimes: usize = 0;

/** The products of the holder set last, an i64 a digit. */
let balanceProduct: usize = 0;
let costProduct: usize = 0;
let costDigit: i32 = 0;
let placedCost: usize = 0;

export function setupTimes(count: i32): void {
  accumulatorCount = count;
  costOffset = 8 * (2 * limbs + TIME_DIGITS);
  accumulatorBytes = costOffset + 8 * (COST_DIGITS + TIME_DIGITS);
  accumulators = allocate(accumulatorBytes * accumulatorCount);
  closingTimes = allocate(4 * accumulatorCount * (2 * limbs + TIME_DIGITS + COST_DIGITS + TIME_DIGITS));
  balanceProduct = allocate(8 * (2 * limbs + TIME_DIGITS));
  costProduct = allocate(8 * COST_PRODUCT_DIGITS);
  placedCost = allocate(4 * PLACED_COST_DIGITS);
}

/** Multiplies a holder's balance, and its cost of `setCost`, by its purchase time, for the `updateTimes` that follow. */
export function setTimes(balance: usize, purchaseTime: f64): void {
  const time = <u64>(purchaseTime * UNITS_A_SECOND + 0.5);
  multiply(balanceProduct, balance, 2 * limbs, time);
  costDigit = costPosition >> 5;
  const by = costPosition & 31;
  store<u64>(placedCost, costMantissa << by);
  store<u32>(placedCost, <u32>(by === 0 ? 0 : costMantissa >> (64 - by)), 8);
  multiply(costProduct, placedCost, PLACED_COST_DIGITS, time);
}

/** Writes a number of 32-bit words times a time: two digits more. */
function multiply(to: usize, number: usize, count: i32, time: u64): void {
  const low = time & 0xffffffff;
  const high = time >> 32;
  let rest: u64 = 0;
  for (let k = 0; k < count; k++) {
    const digit = <u64>load<u32>(number + 4 * k) * low + rest;
    store<u64>(to + 8 * k, digit & 0xffffffff);
    rest = digit >> 32;
  }
  store<u64>(to + 8 * count, rest);
  rest = 0;
  for (let k = 0; k < count; k++) {
    const digit = <u64>load<u32>(number + 4 * k) * high + load<u64>(to + 8 * k, 8) + rest;
    store<u64>(to + 8 * k, digit & 0xffffffff, 8);
    rest = digit >> 32;
  }
  store<u64>(to + 8 * count, rest, 8);
}

/** Adds a holder, with the products of `setTimes`, to an accumulator, or removes it. */
export function updateTimes(accumulator: i32, removes: bool): void {
  const at = accumulators + <usize>accumulator * accumulatorBytes;
  addDigits(at, balanceProduct, 2 * limbs + TIME_DIGITS, removes);
  addDigits(at + costOffset + 8 * costDigit, costProduct, COST_PRODUCT_DIGITS, removes !== isCostNegative);
}

/** @param count an even number of digits */
function addDigits(to: usize, digits: usize, count: i32, subtracts: bool): void {
  for (let k = 0; k < count; k += 2) {
    const sum = v128.load(to + 8 * k);
    const added = v128.load(digits + 8 * k);
    v128.store(to + 8 * k, subtracts ? i64x2.sub(sum, added) : i64x2.add(sum, added));
  }
}

/**
 * Writes `closingTimes`: per accumulator the digits of balances, then those of costs from the lowest to the highest used, and
 * one more for carries.
 */
export function writeClosingTimes(): void {
  let at = closingTimes;
  for (let accumulator = 0; accumulator < accumulatorCount; accumulator++) {
    const from = accumulators + <usize>accumulator * accumulatorBytes;
    at = carry(at, from, 2 * limbs + TIME_DIGITS);
    if (highestDigit < 0) continue;
    at = carry(at, from + costOffset + 8 * lowestDigit, highestDigit + TIME_DIGITS + 2 - lowestDigit);
  }
}
