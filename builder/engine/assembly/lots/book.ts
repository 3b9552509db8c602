/**
 * The keys of lots, which are hours with prices, and how what all addresses, and users, hold of each has changed since the last
 * close: all lots of a key are alike for the states at a close, and changes of partitions add up. Source: docs/methodology.md §14.
 */

import { allocate } from "../memory";
import { add, copy, subtract } from "./amounts";
import { allocatePages, reach, recordAt } from "./pages";

// A key's record: u32 hour since 1970, u32 its change since the last close or none, f64 price.
const CHANGE: usize = 4;
const PRICE: usize = 8;
const KEY_BYTES: usize = 16;
const NOT_CHANGED: u32 = 0;

// A change: u32 the key, the changes of all and of users, in two's complement. There are far fewer than keys.
const ALL: usize = 8;

let keys: usize = 0;
/** One past the last key; 0 is none. */
let keyEnd: u32 = 1;
let changes: usize = 0;
let changeBytes: usize = 0;
/** One past the last change. */
let changeEnd: u32 = 1;
/** A change has a limb more than an amount: for its sign, and for the sum of many. */
let limbs: i32 = 0;
let amountLimbs: i32 = 0;

/** The keys of the current hour, by their prices: a price is that of a second, so there are 3,600 at most. */
const SLOTS: u32 = 8192;
/** An odd number whose bits look random. */
const HASH: u64 = 0x9e3779b1;
let slots: usize = 0;
let slotHour: u32 = 0;

/** What has changed at a close, read by the driver: f64 the hour in Unix seconds, f64 price, and the changes of all and of users. */
export let bookTimes: usize = 0;
export let bookPrices: usize = 0;
export let bookAmounts: usize = 0;
const ROWS: i32 = 4096;

/** Tells the driver that so many rows of the book are written; the last ones of a close if nothing follows. */
declare function bookRows(count: i32, isLast: bool): void;

export function setupBook(limbCount: i32): void {
  amountLimbs = limbCount;
  limbs = limbCount + 1;
  keys = allocatePages(KEY_BYTES);
  keyEnd = 1;
  changeBytes = ALL + 16 * limbs;
  changes = allocatePages(changeBytes);
  changeEnd = 1;
  slotHour = 0;
  slots = allocate(4 * SLOTS);
  bookTimes = allocate(8 * ROWS);
  bookPrices = allocate(8 * ROWS);
  bookAmounts = allocate(16 * limbs * ROWS);
}

function keyAt(key: u32): usize {
  return recordAt(keys, key, KEY_BYTES);
}

export function hourOf(key: u32): u32 {
  return load<u32>(keyAt(key));
}

export function priceOf(key: u32): f64 {
  return load<f64>(keyAt(key), PRICE);
}

/** Makes a key. */
export function newKey(hour: u32, price: f64): u32 {
  const key = keyEnd++;
  reach(keys, key, KEY_BYTES);
  const at = keyAt(key);
  store<u32>(at, hour);
  store<f64>(at, price, PRICE);
  return key;
}

/** The key of an hour, which is the last one or later, and a price. */
export function keyOf(hour: u32, price: f64): u32 {
  if (hour !== slotHour) {
    memory.fill(slots, 0, 4 * SLOTS);
    slotHour = hour;
  }
  const bits = reinterpret<u64>(price);
  let slot = <u32>(((bits ^ (bits >> 32)) * HASH) >> 19) & (SLOTS - 1);
  for (;;) {
    const key = load<u32>(slots + 4 * slot);
    if (key === 0) break;
    if (priceOf(key) === price) return key;
    slot = (slot + 1) & (SLOTS - 1);
  }
  const key = newKey(hour, price);
  store<u32>(slots + 4 * slot, key);
  return key;
}

/** Notes that so much of a key has come to an address. */
export function noteReceived(key: u32, amount: usize, isUser: bool): void {
  const at = changeOf(key) + ALL;
  add(at, limbs, amount, amountLimbs);
  if (isUser) add(at + 8 * limbs, limbs, amount, amountLimbs);
}

/** Notes that so much of a key has left an address. */
export function noteTaken(key: u32, amount: usize, isUser: bool): void {
  const at = changeOf(key) + ALL;
  subtract(at, limbs, amount, amountLimbs);
  if (isUser) subtract(at + 8 * limbs, limbs, amount, amountLimbs);
}

function changeOf(key: u32): usize {
  const at = keyAt(key);
  const known = load<u32>(at, CHANGE);
  if (known !== NOT_CHANGED) return recordAt(changes, known, changeBytes);
  const change = changeEnd++;
  store<u32>(at, change, CHANGE);
  reach(changes, change, changeBytes);
  const made = recordAt(changes, change, changeBytes);
  store<u32>(made, key);
  return made;
}

/** Writes what has changed since the last close, or what has been restored. */
export function closeBook(): void {
  bookRows(writeChanges(), true);
}

/** Writes it if it is much. More of the same keys may follow. */
export function writeMuch(): void {
  if (changeEnd > <u32>ROWS) bookRows(writeChanges(), false);
}

/** Writes all changes, the last of them as so many rows that the driver has not been told. */
function writeChanges(): i32 {
  let row: i32 = 0;
  for (let change: u32 = 1; change < changeEnd; change++) {
    if (row === ROWS) {
      bookRows(row, false);
      row = 0;
    }
    const at = recordAt(changes, change, changeBytes);
    const key = keyAt(load<u32>(at));
    store<f64>(bookTimes + 8 * row, 3600 * <f64>load<u32>(key));
    store<f64>(bookPrices + 8 * row, load<f64>(key, PRICE));
    copy(bookAmounts + 16 * limbs * row, at + ALL, 2 * limbs);
    memory.fill(at + ALL, 0, 16 * limbs);
    store<u32>(key, NOT_CHANGED, CHANGE);
    row++;
  }
  changeEnd = 1;
  return row;
}
