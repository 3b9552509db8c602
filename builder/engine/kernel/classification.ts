/**
 * Groups of addresses, and the classification of an address at an instant: the cohorts of `users` that it is in, and
 * whether it is in profit. The kernels and the TypeScript around them compile this same file.
 * Source: docs/methodology.md §3 and §4.
 */

/** The group of an address that is neither an exchange nor a contract. */
export const USER: i32 = 0;
/** The group of a smart contract that is not an exchange. */
export const CONTRACT: i32 = 1;
/** The group of exchange `EXCHANGE_SELECTORS[i]` is this plus i − 1: selector 0, `all`, is no exchange. */
export const FIRST_EXCHANGE: i32 = 2;

/** How many cohorts each subdivision of `users` has, as in data-schema/cohorts.ts. */
export const VALUE_RANGES: i32 = 7;
export const BALANCE_COHORTS: i32 = 8;
export const AGE_COHORTS: i32 = 11;

/** The side of the cost basis on which the price is: within the break-even band, above it, below it. */
export const EVEN: u32 = 0;
export const PROFIT: u32 = 1;
export const LOSS: u32 = 2;
export const SIDES: i32 = 3;

/** A classification has 12 bits: value range | balance cohort << 3 | age cohort << 6 | side << 10. */
export function packClassification(range: u32, balanceCohort: u32, ageCohort: u32, side: u32): u32 {
  return range | (balanceCohort << 3) | (ageCohort << 6) | (side << 10);
}

export function valueRangeOf(classification: u32): i32 {
  return classification & 7;
}
export function balanceCohortOf(classification: u32): i32 {
  return (classification >> 3) & 7;
}
/** `AGE_COHORTS` for an address that has held for longer than the last age cohort: it is in none. */
export function ageCohortOf(classification: u32): i32 {
  return (classification >> 6) & 15;
}
export function sideOf(classification: u32): u32 {
  return classification >> 10;
}
