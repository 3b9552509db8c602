/**
 * Exact sums over holders by what they have paid, when they bought, and when they first appeared: how they change from one
 * day's close to the next. A holder's keys change only when it sends or receives, so nobody else is looked at.
 * Source: docs/methodology.md §11.
 *
 * Accumulators are as in sums.ts. They hold the changes since the last close, which add up over partitions and over days.
 */

import { limbs } from "./balance";
import { allocate } from "./memory";
import { accumulatorSize, addTo, COST_DIGITS, carrySigned, costStart, highestDigit, lowestDigit } from "./sums";

/** Buckets of costs: of 0, and from k−1200 to k1200. */
const COST_BUCKETS: i32 = 2402;
/** Lower edges of the buckets from k−1199 to k1200, f64; the driver writes them. */
export let costEdges: usize = 0;
const LAST_EDGE: i32 = COST_BUCKETS - 3;

/** Starts of months, f64; the last is after all events. */
let months: usize = 0;
let monthCount: i32 = 0;

/** By group: costs, months of purchase, months of the first event. 0 rows if nothing is to be kept. */
let rowsOfGroup: i32 = 0;
let accumulators: usize = 0;
/** The rows that have changed since the last close, u32, and by row whether it has. */
let changed: usize = 0;
let changedCount: i32 = 0;
let isChanged: usize = 0;

/**
 * The changes of the day that closed last, u32: how many words follow, then of each row that has changed its number, its
 * change of addresses (i32), how many digits its tokens have, plus 2^8 times those of its cost, plus 2^16 times the lowest
 * digit of the cost, then these digits in two's complement.
 */
export let closingChanges: usize = 0;
const ENTRY_HEAD: i32 = 3;

/** @param starts of months, `count` f64; 0: nothing is kept */
export function setupDistributions(groups: i32, starts: usize, count: i32): void {
  months = starts;
  monthCount = count;
  changedCount = 0;
  rowsOfGroup = count === 0 ? 0 : COST_BUCKETS + 2 * count;
  const rows = groups * rowsOfGroup;
  costEdges = allocate(8 * (LAST_EDGE + 1));
  accumulators = allocate(accumulatorSize() * rows);
  changed = allocate(4 * rows);
  isChanged = allocate(rows);
  closingChanges = allocate(4 * (1 + rows * (ENTRY_HEAD + 2 * limbs + 1 + COST_DIGITS + 1)));
}

/** Adds a holder, with the cost of `setCost`, or removes it. @param purchase and `firstEvent`: Unix seconds, whole */
export function updateDistributions(
  group: i32,
  balance: usize,
  basis: f64,
  purchase: f64,
  firstEvent: f64,
  removes: bool,
): void {
  if (rowsOfGroup === 0) return;
  const row = group * rowsOfGroup;
  updateRow(row + costBucket(basis), balance, removes);
  updateRow(row + COST_BUCKETS + monthOf(purchase), balance, removes);
  updateRow(row + COST_BUCKETS + monthCount + monthOf(firstEvent), balance, removes);
}

function updateRow(row: i32, balance: usize, removes: bool): void {
  if (load<u8>(isChanged + row) === 0) {
    store<u8>(isChanged + row, 1);
    store<u32>(changed + 4 * changedCount, row);
    changedCount++;
  }
  addTo(accumulators + <usize>row * accumulatorSize(), balance, removes);
}

/** Buckets of costs in a doubling. */
const STEPS_A_DOUBLING: f64 = 12.041199826559248;

function costBucket(basis: f64): i32 {
  if (basis === 0) return 0;
  // The bits of a double are roughly its logarithm; the edges are exact.
  const doublings = <f64>(<i64>reinterpret<u64>(basis)) / 4503599627370496 - 1023;
  const guess = basis < 0 ? -1 : <i32>Math.floor(doublings * STEPS_A_DOUBLING) + 1199;
  let edge = min(max(guess, -1), LAST_EDGE);
  while (edge < LAST_EDGE && basis >= load<f64>(costEdges + 8 * (edge + 1))) edge++;
  while (edge >= 0 && basis < load<f64>(costEdges + 8 * edge)) edge--;
  return edge + 2;
}

/** The length of an average month. */
const MONTH_SECONDS: f64 = 2629746;

function monthOf(seconds: f64): i32 {
  const guess = (seconds - load<f64>(months)) / MONTH_SECONDS;
  let month = min(max(<i32>guess, 0), monthCount - 1);
  while (month < monthCount - 1 && seconds >= load<f64>(months + 8 * (month + 1))) month++;
  while (month > 0 && seconds < load<f64>(months + 8 * month)) month--;
  return month;
}

/** Writes `closingChanges`, and begins anew. */
export function writeClosingChanges(): void {
  let at = closingChanges + 4;
  for (let i = 0; i < changedCount; i++) {
    const row = load<u32>(changed + 4 * i);
    const from = accumulators + <usize>row * accumulatorSize();
    at = writeEntry(at, row, from);
    for (let byte: usize = 0; byte < accumulatorSize(); byte += 8) store<i64>(from + byte, 0);
    store<u8>(isChanged + row, 0);
  }
  changedCount = 0;
  store<u32>(closingChanges, <u32>((at - closingChanges) >> 2) - 1);
}

/** @returns where the next one begins; nothing is written of a row that is as it was */
function writeEntry(at: usize, row: u32, from: usize): usize {
  const addresses = <i32>load<i64>(from);
  let to = at + 4 * ENTRY_HEAD;
  const tokens = withoutSigns(to, carrySigned(to, from + 16, 2 * limbs));
  to += 4 * tokens;
  let costs = 0;
  let lowest = lowestDigit;
  if (highestDigit >= lowestDigit) {
    // The lowest digits of a cost are often zeros.
    const start = from + costStart();
    while (lowest < highestDigit && load<i64>(start + 8 * lowest) === 0) lowest++;
    costs = withoutSigns(to, carrySigned(to, start + 8 * lowest, highestDigit + 1 - lowest));
  }
  if (addresses === 0 && tokens === 0 && costs === 0) return at;
  store<u32>(at, row);
  store<u32>(at, <u32>addresses, 4);
  store<u32>(at, tokens | (costs << 8) | (lowest << 16), 8);
  return to + 4 * costs;
}

/** How many of a number's digits are needed to know it: the others repeat its sign. */
function withoutSigns(at: usize, digits: i32): i32 {
  while (digits > 0) {
    const last = load<i32>(at + 4 * (digits - 1));
    const sign = digits > 1 ? load<i32>(at + 4 * (digits - 2)) >> 31 : 0;
    if (last !== sign) break;
    digits--;
  }
  return digits;
}
