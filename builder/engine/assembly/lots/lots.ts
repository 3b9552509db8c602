/**
 * Replays the lots of one partition of the addresses, by one method: what each send takes from which lot, and how much of each
 * key is held at each day's close. The driver is ../../lots/replay-lots.ts. Source: docs/methodology.md §14.
 *
 * It is WebAssembly as the replay is: for 64-bit integers, and for records of a few bytes.
 */

import { isZero, setupBalances, tokensOf, words } from "../balance";
import { classify, setupEdges } from "../classify";
import { allocate, startLayout } from "../memory";
import { add, copy, isGreater, isNothing, subtract } from "./amounts";
import { closeBook, hourOf, keyOf, newKey, noteReceived, noteTaken, priceOf, setupBook, writeMuch } from "./book";
import { dropFirst, firstAmount, firstKey, put, setupOrders, tellLots } from "./orders";

export { ageEdges } from "../classify";
export { bookAmounts, bookPrices, bookTimes } from "./book";

const HOUR: f64 = 3600;
const DAY: f64 = 86400;

/** Columns of the current chunk of events, written by the driver. */
export let from: usize = 0;
export let to: usize = 0;
export let timestamp: usize = 0;
export let price: usize = 0;
export let values: usize = 0;

/** Pieces of sends, or lots of addresses, read by the driver: u32 event or holder, f64 purchase time and price, the amount. */
export let rowOwners: usize = 0;
export let rowTimes: usize = 0;
export let rowPrices: usize = 0;
export let rowAmounts: usize = 0;
/** The tokens of pieces, f64, and their classification by the age and the price of their lot, u16. */
export let rowTokens: usize = 0;
export let rowStandings: usize = 0;
const ROWS: i32 = 4096;
let row: i32 = 0;

/** Tells the driver that so many rows are written: pieces of the chunk, or lots. */
declare function rowsWritten(count: i32): void;

let partition: u32 = 0;
let partitionBits: u32 = 0;
let partitionMask: u32 = 0;
let limbs: i32 = 0;
/** Whether a holder is an exchange or a contract, u8. */
let others: usize = 0;
let close: f64 = Infinity;
let closes: i32 = 0;
/** What is still to be taken of a send, and a piece of it. */
let rest: usize = 0;
/** A value as limbs. */
let amount: usize = 0;
/** The key of the last row, of the event at hand. */
let lastKey: u32 = 0;

export function setup(
  holders: u32,
  thisPartition: u32,
  bits: u32,
  chunkRows: u32,
  limbCount: i32,
  wordCount: i32,
  power: f64,
  powerRest: f64,
  method: i32,
  firstDayClose: f64,
  dayCount: i32,
): void {
  startLayout();
  setupBalances(limbCount, wordCount, power, powerRest);
  setupEdges();
  limbs = limbCount;
  partition = thisPartition;
  partitionBits = bits;
  partitionMask = (1 << bits) - 1;
  from = allocate(4 * chunkRows);
  to = allocate(4 * chunkRows);
  timestamp = allocate(8 * chunkRows);
  price = allocate(8 * chunkRows);
  values = allocate(4 * words * chunkRows);
  rowOwners = allocate(4 * ROWS);
  rowTimes = allocate(8 * ROWS);
  rowPrices = allocate(8 * ROWS);
  rowAmounts = allocate(8 * limbs * ROWS);
  rowTokens = allocate(8 * ROWS);
  rowStandings = allocate(2 * ROWS);
  rest = allocate(8 * limbs);
  amount = allocate(8 * limbs);
  others = allocate(holders);
  close = dayCount > 0 ? firstDayClose : Infinity;
  closes = dayCount;
  setupBook(limbs);
  setupOrders(holders, limbs, method);
}

export function setOther(holder: u32): void {
  store<u8>(others + holder, 1);
}

function isUser(holder: u32): bool {
  return load<u8>(others + holder) === 0;
}

/** Makes a key that lots of before have: once those of the last one have been restored. */
export function restoreKey(hour: u32, price: f64): u32 {
  writeMuch();
  return newKey(hour, price);
}

/** Restores a lot; those of an address by ascending hours. @param words of its amount, little-endian, at `values` */
export function restoreLot(holder: u32, key: u32): void {
  copy(amount, values, limbs);
  put(holder, key, amount);
  noteReceived(key, amount, isUser(holder));
}

/** Everything has been restored: writes the book of it. */
export function endRestoring(): void {
  closeBook();
}

/**
 * Replays the first `count` events of the columns.
 *
 * @returns the first that sends more than its sender has, or −1
 */
export function replay(count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const source = load<u32>(from + 4 * i);
    const target = load<u32>(to + 4 * i);
    const value = values + 4 * words * i;
    if (source === target || isZero(value)) continue;
    const seconds = load<f64>(timestamp + 8 * i);
    while (seconds >= close) closeDay();
    if (source !== 0 && (source & partitionMask) === partition) {
      widen(rest, value);
      if (!take(source >> partitionBits, i)) return i;
    }
    if (target !== 0 && (target & partitionMask) === partition) {
      const holder = target >> partitionBits;
      const key = keyOf(<u32>Math.floor(seconds / HOUR), load<f64>(price + 8 * i));
      widen(amount, value);
      put(holder, key, amount);
      noteReceived(key, amount, isUser(holder));
    }
  }
  tellPieces();
  return -1;
}

/** A value of the columns as limbs. */
function widen(to: usize, value: usize): void {
  for (let word = 0; word < 2 * limbs; word++) {
    store<u32>(to + 4 * word, word < words ? load<u32>(value + 4 * word) : 0);
  }
}

/** Takes `rest` from the lots of an address, in its order. @returns whether they were enough */
function take(holder: u32, event: u32): bool {
  const ofUser = isUser(holder);
  lastKey = 0;
  while (!isNothing(rest, limbs)) {
    const key = firstKey(holder);
    if (key === 0) return false;
    const held = firstAmount(holder);
    if (isGreater(held, rest, limbs)) {
      subtract(held, limbs, rest, limbs);
      tell(event, key, rest);
      noteTaken(key, rest, ofUser);
      return true;
    }
    subtract(rest, limbs, held, limbs);
    tell(event, key, held);
    noteTaken(key, held, ofUser);
    dropFirst(holder);
  }
  return true;
}

/** Writes a row. What follows of the same key is of the same lot. */
function tell(owner: u32, key: u32, part: usize): void {
  if (key === lastKey) {
    add(rowAmounts + 8 * limbs * (row - 1), limbs, part, limbs);
    return;
  }
  if (row === ROWS) tellPieces();
  store<u32>(rowOwners + 4 * row, owner);
  store<f64>(rowTimes + 8 * row, HOUR * <f64>hourOf(key));
  store<f64>(rowPrices + 8 * row, priceOf(key));
  copy(rowAmounts + 8 * limbs * row, part, limbs);
  row++;
  lastKey = key;
}

function tellPieces(): void {
  for (let piece = 0; piece < row; piece++) {
    const event = load<u32>(rowOwners + 4 * piece);
    const bought = load<f64>(rowTimes + 8 * piece);
    const cost = load<f64>(rowPrices + 8 * piece);
    const seconds = load<f64>(timestamp + 8 * event);
    store<f64>(rowTokens + 8 * piece, tokensOf(rowAmounts + 8 * limbs * piece, 2 * limbs));
    store<u16>(rowStandings + 2 * piece, classify(0, cost, bought, 0, seconds, load<f64>(price + 8 * event)));
  }
  tellRows();
}

function tellRows(): void {
  if (row > 0) rowsWritten(row);
  row = 0;
}

function closeDay(): void {
  close = --closes > 0 ? close + DAY : Infinity;
  closeBook();
}

/** Closes the days after the last event. */
export function closeRemainingDays(): void {
  while (closes > 0) closeDay();
}

/** Tells the lots of an address. */
export function tellLotsOf(holder: u32): void {
  tellLots(holder, tellApart);
}

/** Ends what has been told of some addresses. */
export function endTelling(): void {
  tellRows();
}

function tellApart(holder: u32, key: u32, part: usize): void {
  if (row === ROWS) tellRows();
  lastKey = 0;
  tell(holder, key, part);
}
