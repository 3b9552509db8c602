/**
 * The largest holders: those who hold at least so much that the thousand that hold most are among them, of users and of all
 * others. At each close, those of them whose balance has changed are written down, with those who have joined or left.
 * Source: docs/methodology.md §9.
 */

import { limbs } from "./balance";
import { allocate } from "./memory";

/** The groups: users, and all others. */
export const GROUPS: i32 = 2;

/** The largest that the driver wants of a group. */
const WANTED: u32 = 1000;
/** How many are kept when a floor is set, roughly; it is set again when they are fewer than wanted, or twice as many. */
const KEPT: u32 = 2000;

/**
 * The changes of a close, read by the driver: their number, then of each the holder, its group, and its balance, which is 0
 * for those who have left.
 */
export let closingLargest: usize = 0;
let changeBytes: usize = 0;

/** Least balance in tokens of the largest of a group. */
const floors: usize = memory.data(8 * 2);
/** How many they are, and how many may be before the floor is raised. */
const counts: usize = memory.data(4 * 2);
const limits: usize = memory.data(4 * 2);

/** Holders of a group by the leading bits of their balance in tokens: those of a positive double, exponent and four more. */
const BINS: i32 = 1 << 15;
const BIN_SHIFT: u64 = 48;
let bins: usize = 0;

export function setupLargest(holders: u64): void {
  changeBytes = 8 + 8 * limbs;
  // A holder may join and leave at one close.
  closingLargest = allocate(4 + 2 * holders * <u64>changeBytes);
  bins = allocate(4 * BINS);
  for (let group = 0; group < GROUPS; group++) {
    store<f64>(floors + 8 * group, 0);
    store<u32>(counts + 4 * group, 0);
    store<u32>(limits + 4 * group, 2 * KEPT);
  }
}

/** Begins the changes of a close. */
export function startChanges(): void {
  store<u32>(closingLargest, 0);
}

/** Whether a balance in tokens makes its holder one of the largest. */
export function isLarge(group: i32, held: f64): bool {
  return held > 0 && held >= load<f64>(floors + 8 * group);
}

/** Writes down a holder that was or is one of the largest. */
export function noteChange(holder: u32, group: i32, balance: usize, was: bool, is: bool): void {
  const count = load<u32>(closingLargest);
  const at = closingLargest + 4 + <usize>count * changeBytes;
  store<u32>(closingLargest, count + 1);
  store<u32>(at, holder);
  store<u32>(at, group, 4);
  for (let k = 0; k < limbs; k++) {
    const limb = is ? load<u64>(balance + 8 * k) : 0;
    store<u32>(at + 8 * k, <u32>limb, 8);
    store<u32>(at + 8 * k, <u32>(limb >> 32), 12);
  }
  if (was !== is) store<u32>(counts + 4 * group, load<u32>(counts + 4 * group) + (is ? 1 : -1));
}

/** Whether a group's largest have become too few, or too many. */
export function needsFloor(group: i32): bool {
  const count = load<u32>(counts + 4 * group);
  return count > load<u32>(limits + 4 * group) || (count < WANTED && load<f64>(floors + 8 * group) > 0);
}

/** Begins to count the holders of a group. */
export function startFloor(): void {
  for (let bin = 0; bin < BINS; bin++) store<u32>(bins + 4 * bin, 0);
}
export function countForFloor(held: f64): void {
  const bin = bins + 4 * <usize>(reinterpret<u64>(held) >> BIN_SHIFT);
  store<u32>(bin, load<u32>(bin) + 1);
}
/** Sets the floor so that there are `KEPT` or more; where many hold about the same, all of them. */
export function setFloor(group: i32): void {
  let count: u32 = 0;
  let bin = BINS;
  while (bin > 0 && count < KEPT) count += load<u32>(bins + 4 * <usize>--bin);
  store<f64>(floors + 8 * group, bin > 0 ? reinterpret<f64>((<u64>bin) << BIN_SHIFT) : 0);
  store<u32>(limits + 4 * group, 2 * max(count, KEPT));
}
