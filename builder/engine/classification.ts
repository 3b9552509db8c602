/**
 * Groups of addresses, and the classification of an address at an instant: the cohorts of `users` that it is in, and
 * whether it is in profit. The standing of an address at an event also tells what the event is to the address. The kernels and the TypeScript around them compile this same file.
 * Source: docs/methodology.md §3 and §4.
 */

/** The group of an address that is neither an exchange nor a contract. */
export const USER: i32 = 0;
/** The group of a smart contract that is not an exchange. */
export const CONTRACT: i32 = 1;
/** The group of exchange `EXCHANGE_SELECTORS[i]` is this plus i − 1: selector 0, `all`, is no exchange. */
export const FIRST_EXCHANGE: i32 = 2;
/** The group of the exchanges that have no name of their own: each of its addresses may be another exchange's. */
export const OTHER_EXCHANGES: i32 = FIRST_EXCHANGE;
/** Set in the group of an address of an exchange that is one of its deposit addresses. */
export const DEPOSIT_ADDRESS: i32 = 0x40;
/** Set in the group of an address that is not on the list, in a history of listed addresses (history/whose.ts). */
export const UNLISTED: i32 = 0x80;

/** How many cohorts each subdivision of `users` has, as in data-schema/registry/cohorts.ts. */
export const VALUE_RANGE_COUNT: i32 = 7;
export const BALANCE_COHORT_COUNT: i32 = 8;
export const AGE_COHORT_COUNT: i32 = 11;

/**
 * Ages are told apart by the edges of age cohorts and by that of terms, which lies within the age cohort `SPLIT_AGE`. The
 * last of these steps is older than any age cohort.
 */
export const AGE_STEPS: i32 = 13;
export const SPLIT_AGE: i32 = 4;
export const SHORT_TERM: i32 = 0;
export const LONG_TERM: i32 = 1;

/** The side of the cost basis on which the price is: within the break-even band, above it, below it. */
export const EVEN: u32 = 0;
export const PROFIT: u32 = 1;
export const LOSS: u32 = 2;
export const SIDES: i32 = 3;

/** A classification has 12 bits: value range | balance cohort << 3 | age step << 6 | side << 10. */
export function packClassification(range: u32, balanceCohort: u32, ageStep: u32, side: u32): u32 {
  return range | (balanceCohort << 3) | (ageStep << 6) | (side << 10);
}

export function valueRangeOf(classification: u32): i32 {
  return classification & 7;
}
export function balanceCohortOf(classification: u32): i32 {
  return (classification >> 3) & 7;
}
export function ageStepOf(classification: u32): i32 {
  return (classification >> 6) & 15;
}
/** `AGE_COHORT_COUNT` for an address that has held for longer than the last age cohort: it is in none. */
export function ageCohortOf(classification: u32): i32 {
  const step = ageStepOf(classification);
  return step > SPLIT_AGE ? step - 1 : step;
}
export function termOf(classification: u32): i32 {
  return ageStepOf(classification) > SPLIT_AGE ? LONG_TERM : SHORT_TERM;
}
export function sideOf(classification: u32): u32 {
  return (classification >> 10) & 3;
}

// The activity of an address: of which buckets an event is its first. The first of a day is also the first of its hour,
// and that of a week or month the first of its day.
export const ACTIVE_AGAIN: u32 = 0;
export const FIRST_OF_HOUR: u32 = 1;
export const FIRST_OF_DAY: u32 = 2;
export const FIRST_OF_WEEK: u32 = 3;
export const FIRST_OF_MONTH: u32 = 4;
export const FIRST_OF_WEEK_AND_MONTH: u32 = 5;
export const FIRST_EVER: u32 = 6;

// An event may be its sender's first send of a bucket, its receiver's first receipt, and the first deposit of either. The
// deposits of an address are its transfers to exchanges, if it is none; and what it receives, if it is a deposit address.
// An event tells of which buckets with the numbers of activities, of deposits of which day, week and month: 0 if it is none,
// or not the first.
export function packSent(send: u32, deposit: u32): u32 {
  return send | (deposit << 3);
}
export function packReceived(receipt: u32, deposit: u32): u32 {
  return (receipt << 6) | (deposit << 9);
}
export function sendOf(firsts: u32): u32 {
  return firsts & 7;
}
export function sentDepositOf(firsts: u32): u32 {
  return (firsts >> 3) & 7;
}
export function receiptOf(firsts: u32): u32 {
  return (firsts >> 6) & 7;
}
export function receivedDepositOf(firsts: u32): u32 {
  return firsts >> 9;
}

/** Set where an event leaves its sender with nothing, or finds its receiver with nothing. */
const TURN: u32 = 0x8000;

/** The standing of an address at an event: its classification, its activity and whether the event is a turn. */
export function packStanding(classification: u32, activity: u32, isTurn: bool): u32 {
  return classification | (activity << 12) | (isTurn ? TURN : 0);
}
export function activityOf(standing: u32): u32 {
  return (standing >> 12) & 7;
}
export function isTurn(standing: u32): bool {
  return (standing & TURN) !== 0;
}
