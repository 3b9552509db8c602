/**
 * The replay of a part of the addresses: exact balances, average cost, where sender and receiver of each event stand,
 * and at each day's close the exact sums of what is held. replay.ts in the folder above drives it, and tells why there
 * are parts. Source: methodology §3, §4 and §7.
 *
 * In WebAssembly, by AssemblyScript, since JavaScript lacks fast 64-bit integers, for balances and sums, and SIMD, for
 * the look at all addresses at each day's close.
 */

import { addValue, isLess, isZero, limbs, setupBalances, subtractValue, tokensOf, words } from "./balance";
import { room, startLayout } from "./memory";
import {
  AGES,
  agePart,
  BALANCE_COHORTS,
  CONTRACT,
  cohortPart,
  FIRST_EXCHANGE,
  LOSS,
  PROFIT,
  SIDES,
  sidePart,
  USER,
  VALUE_RANGES,
  valuePart,
} from "./parts";
import { ageEdges, balanceCohort, setupStandings, standing, valueEdges, wholeSecond } from "./standing";
import { carry, count, highestDigit, lowestDigit, row, setCost, setupSums, writeRow } from "./sums";

export { ageEdges, balanceEdges, balanceEdgeTokens, valueEdges } from "./standing";
export { isTooLarge, row } from "./sums";

/** A day has closed: its row is there, with the cost's digits from `lowest` to `highest`. */
declare function dayClosed(lowest: i32, highest: i32): void;

const DAY: f64 = 86400;

// A holder's record: f64 average purchase price, f64 average purchase time, f64 balance in tokens, u16 the standing by
// which it is counted, u8 group, u8 balance cohort, 4 spare bytes, the balance. One or two cache lines.
const SINCE: usize = 8;
const HELD: usize = 16;
const COUNTED: usize = 24;
const GROUP: usize = 26;
const COHORT: usize = 27;
const BALANCE: usize = 32;

/** `COUNTED` of a holder that is in no sum. */
const NOWHERE: u32 = 0xffff;

let recordBytes: usize = 0;
let records: usize = 0;
/** Holders up to the last that has received anything. */
let seen: u32 = 0;

/** Addresses of this part are those whose last bits are `part`; the bits before them are the holder's number. */
let part: u32 = 0;
let partBits: u32 = 0;
let partMask: u32 = 0;

/** The events at hand, in columns: written by the driver. */
export let from: usize = 0;
export let to: usize = 0;
export let timestamp: usize = 0;
export let price: usize = 0;
export let values: usize = 0;
/** What the replay learns of them: read by the driver. */
export let tokens: usize = 0;
export let basis: usize = 0;
export let sender: usize = 0;
export let receiver: usize = 0;

/** The price at each day's close. */
export let closePrices: usize = 0;
let days: i32 = 0;
let day: i32 = 0;
let firstClose: f64 = 0;
let close: f64 = 0;

// Between which prices and up to which day, exclusive, a holder is counted as it is: an i16 each. Most are, so a day's
// close looks at these alone, eight holders at a time, and only at the records of the others.
let lowPrices: usize = 0;
let highPrices: usize = 0;
let nextDays: usize = 0;
const NO_LOW: i32 = -32768;
const NO_HIGH: i32 = 32767;
const NEVER: i32 = 32767;
const TODAY: i32 = -1;

/** Holders to look at, or that are listed: u32 each. */
export let moving: usize = 0;

export function setup(
  holders: u32,
  thisPart: u32,
  bits: u32,
  chunkRows: u32,
  limbCount: i32,
  wordCount: i32,
  power: f64,
  powerRest: f64,
  reserves: i32,
  dayCount: i32,
  firstDayClose: f64,
): void {
  startLayout();
  setupBalances(limbCount, wordCount, power, powerRest);
  setupStandings();
  setupSums(FIRST_RESERVE_CELL + reserves);
  part = thisPart;
  partBits = bits;
  partMask = (1 << bits) - 1;
  from = room(4 * chunkRows);
  to = room(4 * chunkRows);
  timestamp = room(8 * chunkRows);
  price = room(8 * chunkRows);
  tokens = room(8 * chunkRows);
  values = room(4 * words * chunkRows);
  basis = room(8 * chunkRows);
  sender = room(2 * chunkRows);
  receiver = room(2 * chunkRows);
  days = dayCount;
  closePrices = room(8 * days);
  firstClose = firstDayClose;
  close = days > 0 ? firstClose : Infinity;

  const padded = (<u64>holders + 7) & ~7;
  lowPrices = room(2 * padded);
  highPrices = room(2 * padded);
  nextDays = room(2 * padded);
  moving = room(4 * padded);
  recordBytes = (BALANCE + 8 * limbs + 63) & ~63;
  records = room(recordBytes * padded);
  for (let holder: u32 = 0; holder < <u32>padded; holder++) {
    stay(holder, NO_LOW, NO_HIGH, NEVER);
    store<u16>(record(holder), NOWHERE, COUNTED);
  }
}

/** Puts a holder back as a checkpoint has it, with a balance that has been written already. */
export function restore(holder: u32, basis: f64, since: f64): void {
  const at = record(holder);
  store<f64>(at, basis);
  store<f64>(at, since, SINCE);
  weigh(at);
  stay(holder, NO_LOW, NO_HIGH, TODAY);
  if (holder >= seen) seen = holder + 1;
}

export function setGroup(holder: u32, group: u32): void {
  store<u8>(record(holder), group, GROUP);
}

/** Where a holder's balance lies. */
export function balanceOf(holder: u32): usize {
  return record(holder) + BALANCE;
}

/** A holder's average purchase price and time. */
export function basisOf(holder: u32): f64 {
  return load<f64>(record(holder));
}
export function sinceOf(holder: u32): f64 {
  return load<f64>(record(holder), SINCE);
}

/**
 * Lists all who hold something, in place of `moving`.
 *
 * @returns how many they are
 */
export function listHolders(): u32 {
  let holders: u32 = 0;
  for (let holder: u32 = 0; holder < seen; holder++) {
    if (load<f64>(record(holder), HELD) === 0) continue;
    store<u32>(moving + 4 * holders, holder);
    holders++;
  }
  return holders;
}

function record(holder: u32): usize {
  return records + <usize>holder * recordBytes;
}

/** Something of every record that a few events need is read at once: so the waits for memory overlap. */
const AHEAD: i32 = 32;
/** Never read; it keeps the reads from being taken out. */
export let sink: u32 = 0;

/**
 * Replays the first `count` events of the columns.
 *
 * @returns the first of them that takes more than there is, or −1
 */
export function replay(count: i32): i32 {
  for (let i = 0; i < count; i++) {
    if (i % AHEAD === 0) touch(i, min(i + AHEAD, count));
    const source = load<u32>(from + 4 * i);
    const target = load<u32>(to + 4 * i);
    const value = values + 4 * words * i;
    if (source === target || isZero(value)) continue;
    const seconds = load<f64>(timestamp + 8 * i);
    while (seconds >= close) closeDay();
    const sends = source !== 0 && (source & partMask) === part;
    const receives = target !== 0 && (target & partMask) === part;
    if (!sends && !receives) continue;
    const p = load<f64>(price + 8 * i);
    const x = tokensOf(value, words);
    store<f64>(tokens + 8 * i, x);
    if (sends) {
      const holder = source >> partBits;
      const at = record(holder);
      store<u16>(sender + 2 * i, standingOf(at, seconds, p));
      store<f64>(basis + 8 * i, load<f64>(at));
      if (isLess(at + BALANCE, value)) return i;
      leave(holder, at);
      subtractValue(at + BALANCE, value);
      weigh(at);
    }
    if (receives) {
      const holder = target >> partBits;
      const at = record(holder);
      leave(holder, at);
      receive(at, value, x, p, seconds);
      if (holder >= seen) seen = holder + 1;
      store<u16>(receiver + 2 * i, standingOf(at, seconds, p));
    }
  }
  return -1;
}

/** Closes the days after the last event. */
export function finish(): void {
  while (day < days) closeDay();
}

/** The sum of all balances: 2 · limbs digits, and one for carries, in place of `row`. */
export function sumBalances(): void {
  const digits = 2 * limbs + 1;
  const sums = room(8 * digits);
  for (let holder: u32 = 0; holder < seen; holder++) {
    const balance = record(holder) + BALANCE;
    for (let k = 0; k < 2 * limbs; k++) {
      store<i64>(sums + 8 * k, load<i64>(sums + 8 * k) + <i64>load<u32>(balance + 4 * k));
    }
  }
  carry(row, sums, digits);
}

function touch(begin: i32, end: i32): void {
  for (let i = begin; i < end; i++) {
    const source = load<u32>(from + 4 * i);
    if ((source & partMask) === part) sink ^= load<u32>(record(source >> partBits));
    const target = load<u32>(to + 4 * i);
    if ((target & partMask) === part) sink ^= load<u32>(record(target >> partBits));
  }
}

function standingOf(at: usize, seconds: f64, p: f64): u32 {
  return standing(load<f64>(at, HELD), load<f64>(at), load<f64>(at, SINCE), load<u8>(at, COHORT), seconds, p);
}

/** Adds x tokens, bought at a price and time, to a holder's balance and averages. */
function receive(at: usize, value: usize, x: f64, p: f64, seconds: f64): void {
  const isFresh = load<f64>(at, HELD) === 0;
  addValue(at + BALANCE, value);
  weigh(at);
  if (isFresh) {
    store<f64>(at, p);
    store<f64>(at, seconds, SINCE);
    return;
  }
  const held = load<f64>(at, HELD);
  const a = load<f64>(at);
  store<f64>(at, a + ((p - a) * x) / held);
  const h = load<f64>(at, SINCE);
  store<f64>(at, h + ((seconds - h) * x) / held, SINCE);
}

/** Notes what a balance is in tokens, and its cohort. */
function weigh(at: usize): void {
  const held = tokensOf(at + BALANCE, 2 * limbs);
  store<f64>(at, held, HELD);
  store<u8>(at, balanceCohort(at + BALANCE, held), COHORT);
}

function stay(holder: u32, lowPrice: i32, highPrice: i32, nextDay: i32): void {
  store<i16>(lowPrices + 2 * holder, lowPrice);
  store<i16>(highPrices + 2 * holder, highPrice);
  store<i16>(nextDays + 2 * holder, nextDay);
}

/** Takes a holder out of the sums, before what it has changes; the day's close counts it again. */
function leave(holder: u32, at: usize): void {
  store<i16>(nextDays + 2 * holder, TODAY);
  const counted = <u32>load<u16>(at, COUNTED);
  if (counted === NOWHERE) return;
  recount(at, counted, NOWHERE);
  store<u16>(at, NOWHERE, COUNTED);
}

/**
 * Orders prices: equal ones alike, a higher one not below; 1,024 steps a doubling, from 2^-32 to 2^32 USD. Beyond, all
 * are alike, which costs a closer look but nothing else.
 */
function priceStep(p: f64): i32 {
  const step = <i32>(reinterpret<u64>(p) >> 42) - (1023 << 10);
  return min(max(step, NO_LOW + 1), NO_HIGH - 1);
}

function closeDay(): void {
  const p = load<f64>(closePrices + 8 * day);
  const isSamePrice = day > 0 && p === load<f64>(closePrices + 8 * day - 8);
  const samePrice = i16x8.splat(isSamePrice ? -1 : 0);
  const step = i16x8.splat(<i16>priceStep(p));
  const today = i16x8.splat(<i16>min(day, NEVER));
  let movers: u32 = 0;
  for (let holder: u32 = 0; holder < seen; holder += 8) {
    const isBetween = v128.and(
      i16x8.gt_s(step, v128.load(lowPrices + 2 * holder)),
      i16x8.lt_s(step, v128.load(highPrices + 2 * holder)),
    );
    const stays = v128.and(v128.or(samePrice, isBetween), i16x8.lt_s(today, v128.load(nextDays + 2 * holder)));
    let others = ~i16x8.bitmask(stays) & 0xff;
    while (others !== 0) {
      store<u32>(moving + 4 * movers, holder + ctz(others));
      movers++;
      others &= others - 1;
    }
  }
  for (let first: u32 = 0; first < movers; first += AHEAD) {
    const end = min(first + AHEAD, movers);
    for (let i = first; i < end; i++) sink ^= load<u32>(record(load<u32>(moving + 4 * i)));
    for (let i = first; i < end; i++) look(load<u32>(moving + 4 * i), p);
  }
  writeRow();
  dayClosed(lowestDigit, highestDigit);
  day++;
  close = day < days ? firstClose + DAY * <f64>day : Infinity;
}

/** Wider than the break-even band, and than what rounding may do to a quotient. */
const ABOVE: f64 = 1 + 1e-8;
const BELOW: f64 = 1 - 1e-8;

/** Counts a holder where it stands at the close, and notes how long it will stand there. */
function look(holder: u32, p: f64): void {
  const at = record(holder);
  const held = load<f64>(at, HELD);
  if (held === 0) {
    stay(holder, NO_LOW, NO_HIGH, NEVER);
    return;
  }
  const counted = <u32>load<u16>(at, COUNTED);
  const now = standingOf(at, close, p);
  if (counted !== now) {
    recount(at, counted, now);
    store<u16>(at, now, COUNTED);
  }
  const side = sidePart(now);
  const a = load<f64>(at);
  // At break-even there is no room: it is looked at whenever the price has moved.
  let low = side === PROFIT ? priceStep(a * ABOVE) : side === LOSS ? NO_LOW : NO_HIGH;
  let high = side === LOSS ? priceStep(a * BELOW) : NO_HIGH;
  let nextDay = NEVER;
  if (<i32>load<u8>(at, GROUP) === USER) {
    const range = valuePart(now);
    if (range > 0) low = max(low, priceStep((load<f64>(valueEdges + 8 * (range - 1)) / held) * ABOVE));
    if (range < VALUE_RANGES - 1) high = min(high, priceStep((load<f64>(valueEdges + 8 * range) / held) * BELOW));
    const age = agePart(now);
    if (age < AGES) {
      const older = wholeSecond(load<f64>(at, SINCE)) + <f64>load<i32>(ageEdges + 4 * age);
      nextDay = <i32>Math.min(Math.ceil((older - firstClose) / DAY), NEVER);
    }
  }
  stay(holder, low, high, nextDay);
}

// Cells: the value ranges, balance cohorts and ages of `users`, the last age being none; sc; cex; three sides each.
// Then each exchange.
const FIRST_COHORT_CELL: i32 = SIDES * VALUE_RANGES;
const FIRST_AGE_CELL: i32 = FIRST_COHORT_CELL + SIDES * BALANCE_COHORTS;
const FIRST_GROUP_CELL: i32 = FIRST_AGE_CELL + SIDES * (AGES + 1);
const FIRST_RESERVE_CELL: i32 = FIRST_GROUP_CELL + SIDES * 2;

/** Moves what a holder has from where it is counted to where it stands now; either may be nowhere. */
function recount(at: usize, counted: u32, now: u32): void {
  setCost(load<f64>(at, HELD) * load<f64>(at));
  const balance = at + BALANCE;
  const group = <i32>load<u8>(at, GROUP);
  if (group !== USER) {
    if (counted !== NOWHERE) countGroup(counted, group, balance, true);
    if (now !== NOWHERE) countGroup(now, group, balance, false);
    return;
  }
  if (counted === NOWHERE || now === NOWHERE || sidePart(counted) !== sidePart(now)) {
    if (counted !== NOWHERE) countUser(counted, balance, true);
    if (now !== NOWHERE) countUser(now, balance, false);
    return;
  }
  const side = sidePart(now);
  if (valuePart(counted) !== valuePart(now)) {
    count(SIDES * valuePart(counted) + side, balance, true);
    count(SIDES * valuePart(now) + side, balance, false);
  }
  if (agePart(counted) !== agePart(now)) {
    count(FIRST_AGE_CELL + SIDES * agePart(counted) + side, balance, true);
    count(FIRST_AGE_CELL + SIDES * agePart(now) + side, balance, false);
  }
}

function countUser(standing: u32, balance: usize, leaves: bool): void {
  const side = sidePart(standing);
  count(SIDES * valuePart(standing) + side, balance, leaves);
  count(FIRST_COHORT_CELL + SIDES * cohortPart(standing) + side, balance, leaves);
  count(FIRST_AGE_CELL + SIDES * agePart(standing) + side, balance, leaves);
}

function countGroup(standing: u32, group: i32, balance: usize, leaves: bool): void {
  count(FIRST_GROUP_CELL + SIDES * (group === CONTRACT ? 0 : 1) + sidePart(standing), balance, leaves);
  if (group >= FIRST_EXCHANGE) count(FIRST_RESERVE_CELL + group - FIRST_EXCHANGE, balance, leaves);
}
