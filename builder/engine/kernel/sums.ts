/**
 * Exact sums of what is held: number of addresses, tokens in raw units, and tokens times purchase price in units of
 * 2^-1074 USD, the least double. Adding and taking away again leaves nothing behind, so a sum depends neither on the
 * order in which addresses came nor on those that have gone.
 *
 * A cell is an i64 count (and one unused), then digits of 32 bits in an i64 each: 2 · limbs of tokens, `COST_DIGITS` of
 * cost. Digits carry only when a day closes, so that an addition is a few independent ones, two at a time.
 */

import { limbs } from "./balance";
import { room } from "./memory";

/** Digits from 2^-1074 to 2^1024, and some for carries and for adding four at a time. */
const COST_DIGITS: i32 = 72;

/** In the order that kernel/replay.ts gives them. */
let cellCount: i32 = 0;
let cells: usize = 0;
let cellBytes: usize = 0;
let costAt: usize = 0;
/** The carried digits of the day that has closed: u32 each; read by the driver. */
export let row: usize = 0;

/** The lowest and the highest digit that a cost has had; the former is larger while there was none. */
export let lowestDigit: i32 = COST_DIGITS;
export let highestDigit: i32 = -1;
/** Whether a cost was beyond the range of a double. */
export let isTooLarge: bool = false;

export function setupSums(count: i32): void {
  cellCount = count;
  costAt = 16 + 16 * limbs;
  cellBytes = costAt + 8 * COST_DIGITS;
  cells = room(cellBytes * cellCount);
  row = room(4 * cellCount * (1 + 2 * limbs + COST_DIGITS));
}

/** The cost at hand, as four digits from `costDigit` on; of a cost below zero, each of them below zero. */
let costDigit: i32 = 0;
let costLow: v128 = i64x2.splat(0);
let costHigh: v128 = i64x2.splat(0);

/**
 * Takes a holder's cost apart, for the additions that follow. It may be a rounding below zero: where much is received
 * at the price 0, the average loses a little more than it was.
 */
export function setCost(cost: f64): void {
  const bits = reinterpret<u64>(cost);
  const exponent = <i32>(bits >> 52) & 2047;
  if (exponent === 2047) {
    isTooLarge = true;
    costLow = costHigh = i64x2.splat(0);
    return;
  }
  const mantissa = (bits & 0xfffffffffffff) | (exponent === 0 ? 0 : 0x10000000000000);
  const position = exponent === 0 ? 0 : exponent - 1;
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

/** Adds a holder with the cost of `setCost` to a cell, or takes it away. */
export function count(cell: i32, balance: usize, leaves: bool): void {
  const at = cells + <usize>cell * cellBytes;
  store<i64>(at, load<i64>(at) + (leaves ? -1 : 1));
  for (let k = 0; k < limbs; k++) {
    const digits = v128.load_ext<u32>(balance + 8 * k);
    const sum = v128.load(at + 16 * k, 16);
    v128.store(at + 16 * k, leaves ? i64x2.sub(sum, digits) : i64x2.add(sum, digits), 16);
  }
  const cost = at + costAt + 8 * costDigit;
  const low = v128.load(cost);
  const high = v128.load(cost, 16);
  v128.store(cost, leaves ? i64x2.sub(low, costLow) : i64x2.add(low, costLow));
  v128.store(cost, leaves ? i64x2.sub(high, costHigh) : i64x2.add(high, costHigh), 16);
}

/**
 * Writes `row`: per cell its count, the digits of its tokens, and those of its cost from the lowest to the highest, and
 * one for carries.
 */
export function writeRow(): void {
  let at = row;
  for (let cell = 0; cell < cellCount; cell++) {
    const from = cells + <usize>cell * cellBytes;
    store<u32>(at, <u32>load<i64>(from));
    at = carry(at + 4, from + 16, 2 * limbs);
    if (highestDigit >= 0) at = carry(at, from + costAt + 8 * lowestDigit, highestDigit + 2 - lowestDigit);
  }
}

/** Writes digits, each below 2^32, the last with room for what remains: below zero, as two's complement. */
export function carry(to: usize, from: usize, digits: i32): usize {
  let rest: i64 = 0;
  for (let k = 0; k < digits; k++) {
    const digit = load<i64>(from + 8 * k) + rest;
    store<u32>(to + 4 * k, <u32>digit);
    rest = digit >> 32;
  }
  return to + 4 * digits;
}
