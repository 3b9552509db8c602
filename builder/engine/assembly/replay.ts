/**
 * Replays one partition of the addresses: exact balances, average cost, the classification of the sender and receiver of
 * each event, and at each day's close the exact sums over holders. The driver is ../replay.ts, which explains partitions.
 * Source: docs/methodology.md §3, §4 and §7.
 *
 * This is WebAssembly because JavaScript lacks fast 64-bit integers, which balances and sums need, and SIMD, which the
 * scan of all holders at each day's close needs.
 */

import {
  ACTIVE_AGAIN,
  AGE_STEPS,
  ageStepOf,
  BALANCE_COHORT_COUNT,
  balanceCohortOf,
  CONTRACT,
  DEPOSIT_ADDRESS,
  FIRST_EVER,
  FIRST_EXCHANGE,
  FIRST_OF_DAY,
  FIRST_OF_HOUR,
  FIRST_OF_MONTH,
  FIRST_OF_WEEK,
  FIRST_OF_WEEK_AND_MONTH,
  LOSS,
  PROFIT,
  packReceived,
  packSent,
  packStanding,
  SIDES,
  sideOf,
  USER,
  VALUE_RANGE_COUNT,
  valueRangeOf,
} from "../classification";
import { addValue, isLess, isZero, limbs, setupBalances, subtractValue, tokensOf, words } from "./balance";
import { ageEdges, balanceCohort, classify, roundToSecond, setupEdges, valueEdges } from "./classify";
import { setupDistributions, updateDistributions, writeClosingChanges } from "./distributions";
import { setTimes, setupTimes, updateTimes, writeClosingTimes } from "./held-since";
import {
  countForFloor,
  GROUPS,
  isLarge,
  needsFloor,
  noteChange,
  setFloor,
  setupLargest,
  startChanges,
  startFloor,
} from "./largest";
import { allocate, startLayout } from "./memory";
import { closeRecent, moveRecent, RECENT_DAYS, setupRecent } from "./recent";
import { noteReceipt, noteSend, setupSentAndReceived } from "./sent-and-received";
import { setupSquares, updateSquares, writeClosingSquares } from "./squares";
import { carry, closingSums, highestDigit, lowestDigit, setCost, setupSums, update, writeClosingSums } from "./sums";

export { ageEdges, balanceEdges, balanceEdgeTokens, valueEdges } from "./classify";
export { closingChanges, costEdges } from "./distributions";
export { closingTimes } from "./held-since";
export { closingLargest } from "./largest";
export { closingRecent } from "./recent";
export { sentAndReceived } from "./sent-and-received";
export { closingSquares } from "./squares";
export { closingSums, hasOverflowed } from "./sums";

/** Tells the driver that a day has closed: `closingSums` holds cost digits from `lowest` to `highest`. */
declare function dayClosed(lowest: i32, highest: i32): void;

const HOUR: f64 = 3600;
const DAY: f64 = 86400;
const WEEK: f64 = 604800;
/** 1970-01-05. */
const FIRST_MONDAY: f64 = 345600;

// A holder's record: f64 average purchase price, f64 average purchase time, f64 balance in tokens, u16 the classification
// under which the sums count it, u8 group, u8 balance cohort, u8 whether it is one of the largest, u8 whether it is a deposit
// address, u16 day of its last deposit, u32 times of its last send and of its last receipt, f64 time of its first event, the
// balance. One or two cache lines. The two times are seconds plus 1, until the year 2106; 0 is none.
const PURCHASE_TIME: usize = 8;
const HELD: usize = 16;
const COUNTED_AS: usize = 24;
const GROUP: usize = 26;
const BALANCE_COHORT: usize = 27;
const IS_LARGE: usize = 28;
const IS_DEPOSIT_ADDRESS: usize = 29;
const LAST_DEPOSIT: usize = 30;
const LAST_SEND: usize = 32;
const LAST_RECEIPT: usize = 36;
const FIRST_EVENT: usize = 40;
const BALANCE: usize = 48;

/** The time of the last event, send or receipt of an address without one. */
const NO_EVENT: f64 = -1;

/** `COUNTED_AS` of a holder that is in no sum. */
const NOT_COUNTED: u32 = 0xffff;

let recordBytes: usize = 0;
let records: usize = 0;
/** One past the last holder that has received anything. */
let holderEnd: u32 = 0;

/** The partition has the addresses whose last `partitionBits` bits are `partition`; the other bits number its holders. */
let partition: u32 = 0;
let partitionBits: u32 = 0;
let partitionMask: u32 = 0;

/** Columns of the current chunk of events, written by the driver. */
export let from: usize = 0;
export let to: usize = 0;
export let timestamp: usize = 0;
export let price: usize = 0;
export let values: usize = 0;
/** Columns of results, read by the driver. */
export let tokens: usize = 0;
export let basis: usize = 0;
export let since: usize = 0;
export let sender: usize = 0;
export let receiver: usize = 0;
export let firsts: usize = 0;

/** Starts of months, ascending: from that of the first event to one after the last. */
export let monthStarts: usize = 0;
let month: i32 = 0;
let hourStart: f64 = 0;
let dayStart: f64 = 0;
/** Days since 1970-01-01. */
let today: i32 = 0;
let weekStart: f64 = 0;
let monthStart: f64 = 0;

/** The price at each day's close. */
export let closePrices: usize = 0;
let days: i32 = 0;
let day: i32 = 0;
let firstClose: f64 = 0;
let close: f64 = 0;

// The bounds within which a holder keeps its classification: two price steps and a day, all exclusive, an i16 each. Most
// holders stay within them, so a day's close compares these arrays, eight holders at a time, and reads the records of
// the others only.
let lowPrices: usize = 0;
let highPrices: usize = 0;
let nextDays: usize = 0;
const NO_LOW: i32 = -32768;
const NO_HIGH: i32 = 32767;
const NEVER: i32 = 32767;
const NEXT_CLOSE: i32 = -1;

/** A list of holders, u32 each: those to reclassify at a close, or the result of `listHolders`. */
export let holderList: usize = 0;

export function setup(
  holders: u32,
  thisPartition: u32,
  bits: u32,
  chunkRows: u32,
  limbCount: i32,
  wordCount: i32,
  power: f64,
  powerRest: f64,
  reserves: i32,
  dayCount: i32,
  firstDayClose: f64,
  monthCount: i32,
  isOfAll: bool,
): void {
  startLayout();
  setupBalances(limbCount, wordCount, power, powerRest);
  setupEdges();
  setupSums(FIRST_RESERVE + reserves);
  setupTimes(PARTS);
  setupSquares();
  setupRecent();
  partition = thisPartition;
  partitionBits = bits;
  partitionMask = (1 << bits) - 1;
  from = allocate(4 * chunkRows);
  to = allocate(4 * chunkRows);
  timestamp = allocate(8 * chunkRows);
  price = allocate(8 * chunkRows);
  tokens = allocate(8 * chunkRows);
  values = allocate(4 * words * chunkRows);
  basis = allocate(8 * chunkRows);
  since = allocate(8 * chunkRows);
  sender = allocate(2 * chunkRows);
  receiver = allocate(2 * chunkRows);
  firsts = allocate(2 * chunkRows);
  monthStarts = allocate(8 * monthCount);
  setupDistributions(GROUPS, monthStarts, isOfAll ? monthCount : 0);
  days = dayCount;
  closePrices = allocate(8 * days);
  firstClose = firstDayClose;
  close = days > 0 ? firstClose : Infinity;

  const padded = (<u64>holders + 7) & ~7;
  lowPrices = allocate(2 * padded);
  highPrices = allocate(2 * padded);
  nextDays = allocate(2 * padded);
  holderList = allocate(4 * padded);
  setupLargest(padded);
  setupSentAndReceived(isOfAll ? padded : 0);
  recordBytes = (BALANCE + 8 * limbs + 63) & ~63;
  records = allocate(recordBytes * padded);
  for (let holder: u32 = 0; holder < <u32>padded; holder++) {
    setBounds(holder, NO_LOW, NO_HIGH, NEVER);
    store<u16>(record(holder), NOT_COUNTED, COUNTED_AS);
  }
}

/** Restores an address from a checkpoint; the driver has written its balance already. */
export function restore(
  holder: u32,
  basis: f64,
  purchaseTime: f64,
  firstEvent: f64,
  lastSend: f64,
  lastReceipt: f64,
  lastDeposit: u32,
): void {
  const at = record(holder);
  store<u16>(at, lastDeposit, LAST_DEPOSIT);
  store<f64>(at, basis);
  store<f64>(at, purchaseTime, PURCHASE_TIME);
  store<f64>(at, firstEvent, FIRST_EVENT);
  setTime(at + LAST_SEND, lastSend);
  setTime(at + LAST_RECEIPT, lastReceipt);
  const lastDay = dayOf(lastEventAt(at));
  if (lastDay > dayOf(firstClose) - 1 - RECENT_DAYS) moveRecent(load<u8>(at, GROUP), -1, lastDay);
  updateHeld(at);
  setBounds(holder, NO_LOW, NO_HIGH, NEXT_CLOSE);
  if (holder >= holderEnd) holderEnd = holder + 1;
}

/** @param label its group, with a mark if it is a deposit address */
export function setGroup(holder: u32, label: u32): void {
  store<u8>(record(holder), label & ~DEPOSIT_ADDRESS, GROUP);
  store<u8>(record(holder), (label & DEPOSIT_ADDRESS) !== 0 ? 1 : 0, IS_DEPOSIT_ADDRESS);
}

/** The address of a holder's balance. */
export function balanceOf(holder: u32): usize {
  return record(holder) + BALANCE;
}

/**
 * Writes all holders with a balance to `holderList`.
 *
 * @returns how many they are
 */
export function listHolders(): u32 {
  let holders: u32 = 0;
  for (let holder: u32 = 0; holder < holderEnd; holder++) {
    if (load<f64>(record(holder), HELD) === 0) continue;
    store<u32>(holderList + 4 * holders, holder);
    holders++;
  }
  return holders;
}

function record(holder: u32): usize {
  return records + <usize>holder * recordBytes;
}

/** Records prefetched at a time: reading them together lets the waits for memory overlap. */
const PREFETCH: i32 = 32;
/** Never read; it keeps the compiler from removing the prefetching reads. */
export let sink: u32 = 0;

/**
 * Replays the first `count` events of the columns.
 *
 * @returns the first that sends more than its sender's balance, or −1
 */
export function replay(count: i32): i32 {
  for (let i = 0; i < count; i++) {
    if (i % PREFETCH === 0) prefetch(i, min(i + PREFETCH, count));
    const source = load<u32>(from + 4 * i);
    const target = load<u32>(to + 4 * i);
    const value = values + 4 * words * i;
    if (source === target || isZero(value)) continue;
    const seconds = load<f64>(timestamp + 8 * i);
    while (seconds >= close) closeDay();
    const sends = source !== 0 && (source & partitionMask) === partition;
    const receives = target !== 0 && (target & partitionMask) === partition;
    if (!sends && !receives) continue;
    if (seconds >= hourStart + HOUR) startBuckets(seconds);
    const p = load<f64>(price + 8 * i);
    const x = tokensOf(value, words);
    store<f64>(tokens + 8 * i, x);
    let sent: u32 = 0;
    let received: u32 = 0;
    if (sends) {
      const holder = source >> partitionBits;
      const at = record(holder);
      const classification = classifyHolder(at, seconds, p);
      store<f64>(basis + 8 * i, load<f64>(at));
      store<f64>(since + 8 * i, load<f64>(at, PURCHASE_TIME));
      if (isLess(at + BALANCE, value)) return i;
      removeFromSums(holder, at);
      subtractValue(at + BALANCE, value);
      noteSend(holder, x, x * (p - load<f64>(at)));
      updateHeld(at);
      store<u16>(sender + 2 * i, packStanding(classification, activityAt(at), load<f64>(at, HELD) === 0));
      const isDeposit = <i32>load<u8>(at, GROUP) < FIRST_EXCHANGE && isExchange(target);
      sent = packSent(firstAfter(timeAt(at + LAST_SEND)), isDeposit ? depositAt(at) : 0);
      noteEvent(at, LAST_SEND, seconds);
    }
    if (receives) {
      const holder = target >> partitionBits;
      const at = record(holder);
      removeFromSums(holder, at);
      const isFresh = load<f64>(at, HELD) === 0;
      receive(at, value, x, p, seconds, isFresh);
      noteReceipt(holder);
      if (holder >= holderEnd) holderEnd = holder + 1;
      store<u16>(receiver + 2 * i, packStanding(classifyHolder(at, seconds, p), activityAt(at), isFresh));
      if (lastEventAt(at) === NO_EVENT) store<f64>(at, seconds, FIRST_EVENT);
      const isDeposit = load<u8>(at, IS_DEPOSIT_ADDRESS) !== 0;
      received = packReceived(firstAfter(timeAt(at + LAST_RECEIPT)), isDeposit ? depositAt(at) : 0);
      noteEvent(at, LAST_RECEIPT, seconds);
    }
    store<u16>(firsts + 2 * i, sent | received);
  }
  return -1;
}

/** Finds the starts of the buckets that contain a time, which is at or after all times before. */
function startBuckets(seconds: f64): void {
  hourStart = Math.floor(seconds / HOUR) * HOUR;
  today = dayOf(seconds);
  dayStart = DAY * <f64>today;
  weekStart = Math.floor((seconds - FIRST_MONDAY) / WEEK) * WEEK + FIRST_MONDAY;
  while (seconds >= load<f64>(monthStarts + 8 * month, 8)) month++;
  monthStart = load<f64>(monthStarts + 8 * month);
}

function dayOf(seconds: f64): i32 {
  return <i32>Math.floor(seconds / DAY);
}

function setTime(at: usize, seconds: f64): void {
  store<u32>(at, <u32>(seconds + 1));
}

function timeAt(at: usize): f64 {
  return <f64>load<u32>(at) - 1;
}

/** Time of a holder's last event; `NO_EVENT` without one. */
function lastEventAt(at: usize): f64 {
  return <f64>max(load<u32>(at, LAST_SEND), load<u32>(at, LAST_RECEIPT)) - 1;
}

/** Notes a send or a receipt. */
function noteEvent(at: usize, side: usize, seconds: f64): void {
  const last = lastEventAt(at);
  if (last < dayStart) moveRecent(load<u8>(at, GROUP), dayOf(last), today);
  setTime(at + side, seconds);
}

/** Tells of which of the current buckets an event is the first of a holder. */
function activityAt(at: usize): u32 {
  const last = lastEventAt(at);
  return last === NO_EVENT ? FIRST_EVER : firstAfter(last);
}

/** Tells of which of the current buckets what happens now is the first since a time. */
function firstAfter(last: f64): u32 {
  if (last >= hourStart) return ACTIVE_AGAIN;
  return last >= dayStart ? FIRST_OF_HOUR : firstSince(last);
}

/** Tells of which day, week and month what happens now is the first since a time before this day. */
function firstSince(last: f64): u32 {
  if (last < weekStart) return last < monthStart ? FIRST_OF_WEEK_AND_MONTH : FIRST_OF_WEEK;
  return last < monthStart ? FIRST_OF_MONTH : FIRST_OF_DAY;
}

/** Whether an address is an exchange's. One of another partition tells by its number: 1 if it is, and 0 if it is not. */
function isExchange(address: u32): bool {
  if (address === 0) return false;
  const number = address >> partitionBits;
  if ((address & partitionMask) !== partition) return number !== 0;
  return <i32>load<u8>(record(number), GROUP) >= FIRST_EXCHANGE;
}

/** Notes a deposit in the current day, and tells of which buckets it is the first of its holder. */
function depositAt(at: usize): u32 {
  const last = DAY * <f64>load<u16>(at, LAST_DEPOSIT);
  store<u16>(at, <u16>(dayStart / DAY), LAST_DEPOSIT);
  return last >= dayStart ? ACTIVE_AGAIN : firstSince(last);
}

/** Closes the days after the last event. */
export function closeRemainingDays(): void {
  while (day < days) closeDay();
}

/** Writes the sum of all balances, 2 · limbs digits and one for carries, to `closingSums`. */
export function sumBalances(): void {
  const digits = 2 * limbs + 1;
  const sums = allocate(8 * digits);
  for (let holder: u32 = 0; holder < holderEnd; holder++) {
    const balance = record(holder) + BALANCE;
    for (let k = 0; k < 2 * limbs; k++) {
      store<i64>(sums + 8 * k, load<i64>(sums + 8 * k) + <i64>load<u32>(balance + 4 * k));
    }
  }
  carry(closingSums, sums, digits);
}

function prefetch(begin: i32, end: i32): void {
  for (let i = begin; i < end; i++) {
    const source = load<u32>(from + 4 * i);
    if ((source & partitionMask) === partition) sink ^= load<u32>(record(source >> partitionBits));
    const target = load<u32>(to + 4 * i);
    if ((target & partitionMask) === partition) sink ^= load<u32>(record(target >> partitionBits));
  }
}

function classifyHolder(at: usize, seconds: f64, p: f64): u32 {
  const cohort = load<u8>(at, BALANCE_COHORT);
  return classify(load<f64>(at, HELD), load<f64>(at), load<f64>(at, PURCHASE_TIME), cohort, seconds, p);
}

/** Adds x tokens, received at a price and time, to a holder's balance and averages; one that holds nothing is fresh. */
function receive(at: usize, value: usize, x: f64, p: f64, seconds: f64, isFresh: bool): void {
  addValue(at + BALANCE, value);
  updateHeld(at);
  if (isFresh) {
    store<f64>(at, p);
    store<f64>(at, seconds, PURCHASE_TIME);
    return;
  }
  const held = load<f64>(at, HELD);
  const a = load<f64>(at);
  store<f64>(at, a + ((p - a) * x) / held);
  const h = load<f64>(at, PURCHASE_TIME);
  store<f64>(at, h + ((seconds - h) * x) / held, PURCHASE_TIME);
}

/** Updates the balance in tokens, and its balance cohort, from the exact balance. */
function updateHeld(at: usize): void {
  const held = tokensOf(at + BALANCE, 2 * limbs);
  store<f64>(at, held, HELD);
  store<u8>(at, balanceCohort(at + BALANCE, held), BALANCE_COHORT);
}

function setBounds(holder: u32, lowPrice: i32, highPrice: i32, nextDay: i32): void {
  store<i16>(lowPrices + 2 * holder, lowPrice);
  store<i16>(highPrices + 2 * holder, highPrice);
  store<i16>(nextDays + 2 * holder, nextDay);
}

/** Removes a holder from the sums before its balance or cost changes; the day's close adds it again. */
function removeFromSums(holder: u32, at: usize): void {
  store<i16>(nextDays + 2 * holder, NEXT_CLOSE);
  const before = <u32>load<u16>(at, COUNTED_AS);
  if (before === NOT_COUNTED) return;
  updateSums(at, before, NOT_COUNTED);
  store<u16>(at, NOT_COUNTED, COUNTED_AS);
}

/**
 * Maps prices monotonically to 16 bits: 1,024 steps per doubling, from 2^-32 to 2^32 USD. Prices beyond share one step,
 * which costs needless reclassifications but no correctness.
 */
function priceStep(p: f64): i32 {
  const step = <i32>(reinterpret<u64>(p) >> 42) - (1023 << 10);
  return min(max(step, NO_LOW + 1), NO_HIGH - 1);
}

function closeDay(): void {
  startChanges();
  // A checkpoint's holders have all changed: few of them are large.
  if (day === 0) for (let group = 0; group < GROUPS; group++) findFloor(group);
  const p = load<f64>(closePrices + 8 * day);
  const isSamePrice = day > 0 && p === load<f64>(closePrices + 8 * day - 8);
  const samePrice = i16x8.splat(isSamePrice ? -1 : 0);
  const step = i16x8.splat(<i16>priceStep(p));
  const today = i16x8.splat(<i16>min(day, NEVER));
  let listed: u32 = 0;
  for (let holder: u32 = 0; holder < holderEnd; holder += 8) {
    const isWithin = v128.and(
      i16x8.gt_s(step, v128.load(lowPrices + 2 * holder)),
      i16x8.lt_s(step, v128.load(highPrices + 2 * holder)),
    );
    const isUnchanged = v128.and(v128.or(samePrice, isWithin), i16x8.lt_s(today, v128.load(nextDays + 2 * holder)));
    let others = ~i16x8.bitmask(isUnchanged) & 0xff;
    while (others !== 0) {
      store<u32>(holderList + 4 * listed, holder + ctz(others));
      listed++;
      others &= others - 1;
    }
  }
  for (let first: u32 = 0; first < listed; first += PREFETCH) {
    const end = min(first + PREFETCH, listed);
    for (let i = first; i < end; i++) sink ^= load<u32>(record(load<u32>(holderList + 4 * i)));
    for (let i = first; i < end; i++) reclassify(load<u32>(holderList + 4 * i), p);
  }
  for (let group = 0; group < GROUPS; group++) if (needsFloor(group)) moveFloor(group);
  writeClosingSums();
  writeClosingTimes();
  writeClosingSquares();
  closeRecent(dayOf(close) - 1);
  writeClosingChanges();
  dayClosed(lowestDigit, highestDigit);
  day++;
  close = day < days ? firstClose + DAY * <f64>day : Infinity;
}

/** A margin wider than the break-even band and the rounding of a quotient. */
const ABOVE: f64 = 1 + 1e-8;
const BELOW: f64 = 1 - 1e-8;

/** Counts a holder under its classification at the close, and sets the bounds within which it keeps it. */
function reclassify(holder: u32, p: f64): void {
  const at = record(holder);
  const held = load<f64>(at, HELD);
  const before = <u32>load<u16>(at, COUNTED_AS);
  if (before === NOT_COUNTED) noteLarge(holder, at);
  if (held === 0) {
    setBounds(holder, NO_LOW, NO_HIGH, NEVER);
    return;
  }
  const now = classifyHolder(at, close, p);
  if (before !== now) {
    updateSums(at, before, now);
    store<u16>(at, now, COUNTED_AS);
  }
  const side = sideOf(now);
  const a = load<f64>(at);
  // At break-even the bounds are empty: any change of price reclassifies the holder.
  let low = side === PROFIT ? priceStep(a * ABOVE) : side === LOSS ? NO_LOW : NO_HIGH;
  let high = side === LOSS ? priceStep(a * BELOW) : NO_HIGH;
  let nextDay = NEVER;
  if (<i32>load<u8>(at, GROUP) === USER) {
    const range = valueRangeOf(now);
    if (range > 0) low = max(low, priceStep((load<f64>(valueEdges + 8 * (range - 1)) / held) * ABOVE));
    if (range < VALUE_RANGE_COUNT - 1) high = min(high, priceStep((load<f64>(valueEdges + 8 * range) / held) * BELOW));
    const age = ageStepOf(now);
    if (age < AGE_STEPS - 1) {
      const older = roundToSecond(load<f64>(at, PURCHASE_TIME)) + <f64>load<i32>(ageEdges + 4 * age);
      nextDay = <i32>Math.min(Math.ceil((older - firstClose) / DAY), NEVER);
    }
  }
  setBounds(holder, low, high, nextDay);
}

/** The group of largest.ts and squares.ts: users, and all others. */
function userOrOther(at: usize): i32 {
  return load<u8>(at, GROUP) === <u8>USER ? 0 : 1;
}

/** Writes down a holder whose balance has changed, if it was or is one of the largest. */
function noteLarge(holder: u32, at: usize): void {
  const group = userOrOther(at);
  const was = load<u8>(at, IS_LARGE) !== 0;
  const is = isLarge(group, load<f64>(at, HELD));
  if (!was && !is) return;
  store<u8>(at, is ? 1 : 0, IS_LARGE);
  noteChange(holder, group, at + BALANCE, was, is);
}

/** Sets the floor of a group's largest by what its holders have. */
function findFloor(group: i32): void {
  startFloor();
  for (let holder: u32 = 0; holder < holderEnd; holder++) {
    const at = record(holder);
    if (load<f64>(at, HELD) > 0 && userOrOther(at) === group) countForFloor(load<f64>(at, HELD));
  }
  setFloor(group);
}

/** Sets the floor, and writes down who joins and who leaves. */
function moveFloor(group: i32): void {
  findFloor(group);
  for (let holder: u32 = 0; holder < holderEnd; holder++) {
    const at = record(holder);
    if (userOrOther(at) === group && (load<u8>(at, IS_LARGE) !== 0) !== isLarge(group, load<f64>(at, HELD))) {
      noteLarge(holder, at);
    }
  }
}

// The sums are by part: value ranges, balance cohorts and age steps of `users`, then sc, then cex. Those of sums.ts have
// three sides each; then come the reserves of the exchanges. Those of held-since.ts have none.
const FIRST_BALANCE_COHORT: i32 = VALUE_RANGE_COUNT;
const FIRST_AGE: i32 = FIRST_BALANCE_COHORT + BALANCE_COHORT_COUNT;
const FIRST_GROUP: i32 = FIRST_AGE + AGE_STEPS;
const PARTS: i32 = FIRST_GROUP + 2;
const FIRST_RESERVE: i32 = SIDES * PARTS;

/** Moves a holder from the sums of one classification to those of another; either may be `NOT_COUNTED`. */
function updateSums(at: usize, before: u32, now: u32): void {
  setCost(load<f64>(at, HELD) * load<f64>(at));
  const group = <i32>load<u8>(at, GROUP);
  if (before !== NOT_COUNTED && now !== NOT_COUNTED) {
    if (group === USER) moveUser(at, before, now);
    else moveGroup(at, group, before, now);
    return;
  }
  const removes = now === NOT_COUNTED;
  const classification = removes ? before : now;
  updateSquares(userOrOther(at), at + BALANCE, removes);
  const purchase = load<f64>(at, PURCHASE_TIME);
  const first = load<f64>(at, FIRST_EVENT);
  updateDistributions(userOrOther(at), at + BALANCE, load<f64>(at), roundToSecond(purchase), first, removes);
  setTimes(at + BALANCE, purchase);
  if (group === USER) {
    updateUser(at, classification, removes);
    updateTimes(valueRangeOf(classification), removes);
    updateTimes(FIRST_BALANCE_COHORT + balanceCohortOf(classification), removes);
    updateTimes(FIRST_AGE + ageStepOf(classification), removes);
  } else {
    updateGroup(at, group, classification, removes);
    updateTimes(partOfGroup(group), removes);
    if (group >= FIRST_EXCHANGE) update(FIRST_RESERVE + group - FIRST_EXCHANGE, at + BALANCE, removes);
  }
}

/** Moves a user that has neither received nor sent anything: its balance cohort is the same. */
function moveUser(at: usize, before: u32, now: u32): void {
  const isOtherRange = valueRangeOf(before) !== valueRangeOf(now);
  const isOtherAge = ageStepOf(before) !== ageStepOf(now);
  if (sideOf(before) !== sideOf(now)) {
    updateUser(at, before, true);
    updateUser(at, now, false);
  } else {
    if (isOtherRange) movePart(at, valueRangeOf(before), valueRangeOf(now), sideOf(now));
    if (isOtherAge) movePart(at, FIRST_AGE + ageStepOf(before), FIRST_AGE + ageStepOf(now), sideOf(now));
  }
  if (!isOtherRange && !isOtherAge) return;
  setTimes(at + BALANCE, load<f64>(at, PURCHASE_TIME));
  if (isOtherRange) {
    updateTimes(valueRangeOf(before), true);
    updateTimes(valueRangeOf(now), false);
  }
  if (isOtherAge) {
    updateTimes(FIRST_AGE + ageStepOf(before), true);
    updateTimes(FIRST_AGE + ageStepOf(now), false);
  }
}

/** Moves a contract or exchange to another side. */
function moveGroup(at: usize, group: i32, before: u32, now: u32): void {
  if (sideOf(before) === sideOf(now)) return;
  updateGroup(at, group, before, true);
  updateGroup(at, group, now, false);
}

function movePart(at: usize, before: i32, now: i32, side: u32): void {
  update(SIDES * before + side, at + BALANCE, true);
  update(SIDES * now + side, at + BALANCE, false);
}

/** Updates the sums of the cohorts of a user. */
function updateUser(at: usize, classification: u32, removes: bool): void {
  const balance = at + BALANCE;
  const side = sideOf(classification);
  update(SIDES * valueRangeOf(classification) + side, balance, removes);
  update(SIDES * (FIRST_BALANCE_COHORT + balanceCohortOf(classification)) + side, balance, removes);
  update(SIDES * (FIRST_AGE + ageStepOf(classification)) + side, balance, removes);
}

/** Updates the sums of contracts, or of exchanges. */
function updateGroup(at: usize, group: i32, classification: u32, removes: bool): void {
  update(SIDES * partOfGroup(group) + sideOf(classification), at + BALANCE, removes);
}

function partOfGroup(group: i32): i32 {
  return FIRST_GROUP + (group === CONTRACT ? 0 : 1);
}
