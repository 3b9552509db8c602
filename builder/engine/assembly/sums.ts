/**
 * Exact sums over holders: number of addresses, tokens in raw units, and tokens times purchase price in units of
 * 2^-1074 USD, the smallest positive double. Removing a holder undoes adding it exactly, so a sum depends neither on
 * the order in which holders were added nor on those removed since.
 *
 * An accumulator is an i64 count, 8 unused bytes, then 32-bit digits in an i64 each: 2 · limbs of tokens and
 * `COST_DIGITS` of cost. Carries wait until a day closes, so an addition is a few independent SIMD additions.
 */

import { limbs } from "./balance";
import { allocate } from "./memory";

/** Digits from 2^-1074 to 2^1024, and a few for carries and for adding four at a time. */
export const COST_DIGITS: i32 = 72;

/** In the order that assembly/replay.ts defines. */
let accumulatorCount: i32 = 0;
let accumulators: usize = 0;
let accumulatorBytes: usize = 0;
let costOffset: usize = 0;
/** The sums at the last close, with carries resolved: u32 digits, read by the driver. */
export let closingSums: usize = 0;

/** The lowest and the highest digit that a cost has used so far; lowest > highest before the first cost. */
export let lowestDigit: i32 = COST_DIGITS;
export let highestDigit: i32 = -1;
/** Whether a cost exceeded the range of a double. */
export let hasOverflowed: bool = false;

export function setupSums(count: i32): void {
  accumulatorCount = count;
  costOffset = 16 + 16 * limbs;
  accumulatorBytes = costOffset + 8 * COST_DIGITS;
  accumulators = allocate(accumulatorBytes * accumulatorCount);
  closingSums = allocate(4 * accumulatorCount * (1 + 2 * limbs + COST_DIGITS));
}

/** The cost set last: `costMantissa` · 2^`costPosition`, in units of 2^-1074 USD, and its sign. */
export let costMantissa: u64 = 0;
export let costPosition: i32 = 0;
export let isCostNegative: bool = false;
/** The cost set last, as four digits from `costDigit` on; all four are negative if the cost is. */
let costDigit: i32 = 0;
let costLow: v128 = i64x2.splat(0);
let costHigh: v128 = i64x2.splat(0);

/**
 * Splits a holder's cost into digits, for the `update` calls that follow. Rounding can leave a cost slightly below zero:
 * when an address receives a large amount at price 0, its average can lose a little more than it was.
 */
export function setCost(cost: f64): void {
  const bits = reinterpret<u64>(cost);
  const exponent = <i32>(bits >> 52) & 2047;
  if (exponent === 2047) {
    hasOverflowed = true;
    costMantissa = 0;
    costLow = costHigh = i64x2.splat(0);
    return;
  }
  const mantissa = (bits & 0xfffffffffffff) | (exponent === 0 ? 0 : 0x10000000000000);
  const position = exponent === 0 ? 0 : exponent - 1;
  costMantissa = mantissa;
  costPosition = position;
  isCostNegative = cost < 0;
  const by = position & 31;
  costDigit = position >> 5;
  costLow = twoDigits(mantissa << by);
  costHigh = twoDigits(by === 0 ? 0 : mantissa >> (64 - by));
  if (cost < 0) {
    costLow = i64x2.neg(costLow);
    costHigh = i64x2.neg(costHigh);
  }
  if (mantissa === 0) return;
  if (costDigit < lowestDigit) lowestDigit = costDigit;
  if (costDigit + 2 > highestDigit) highestDigit = costDigit + 2;
}

function twoDigits(bits: u64): v128 {
  return i64x2.extend_low_i32x4_u(i64x2.splat(bits));
}

/** Adds a holder, with the cost of `setCost`, to an accumulator, or removes it. */
export function update(accumulator: i32, balance: usize, removes: bool): void {
  addTo(accumulators + <usize>accumulator * accumulatorBytes, balance, removes);
}

/** Updates an accumulator by its address, as `update` does by its number. */
export function addTo(at: usize, balance: usize, removes: bool): void {
  store<i64>(at, load<i64>(at) + (removes ? -1 : 1));
  for (let k = 0; k < limbs; k++) {
    const digits = v128.load_ext<u32>(balance + 8 * k);
    const sum = v128.load(at + 16 * k, 16);
    v128.store(at + 16 * k, removes ? i64x2.sub(sum, digits) : i64x2.add(sum, digits), 16);
  }
  const cost = at + costOffset + 8 * costDigit;
  const low = v128.load(cost);
  const high = v128.load(cost, 16);
  v128.store(cost, removes ? i64x2.sub(low, costLow) : i64x2.add(low, costLow));
  v128.store(cost, removes ? i64x2.sub(high, costHigh) : i64x2.add(high, costHigh), 16);
}

/**
 * Writes `closingSums`: per accumulator its count, its token digits, and its cost digits from the lowest to the highest
 * used, and one more for carries.
 */
export function writeClosingSums(): void {
  let at = closingSums;
  for (let accumulator = 0; accumulator < accumulatorCount; accumulator++) {
    const from = accumulators + <usize>accumulator * accumulatorBytes;
    store<u32>(at, <u32>load<i64>(from));
    at = carry(at + 4, from + 16, 2 * limbs);
    if (highestDigit >= 0) at = carry(at, from + costOffset + 8 * lowestDigit, highestDigit + 2 - lowestDigit);
  }
}

/** Bytes of an accumulator, and where in it the cost begins. */
export function accumulatorSize(): usize {
  return accumulatorBytes;
}
export function costStart(): usize {
  return costOffset;
}

/** Writes digits with carries resolved, as u32 each; negative numbers in two's complement. @returns the end of them */
export function carry(to: usize, from: usize, digits: i32): usize {
  carryOver(to, from, digits);
  return to + 4 * digits;
}

/** Writes digits like `carry`, with one more for the sign. @returns how many digits */
export function carrySigned(to: usize, from: usize, digits: i32): i32 {
  store<u32>(to + 4 * digits, <u32>carryOver(to, from, digits));
  return digits + 1;
}

/** @returns what is left over of the highest digit */
function carryOver(to: usize, from: usize, digits: i32): i64 {
  let rest: i64 = 0;
  for (let k = 0; k < digits; k++) {
    const digit = load<i64>(from + 8 * k) + rest;
    store<u32>(to + 4 * k, <u32>digit);
    rest = digit >> 32;
  }
  return rest;
}
