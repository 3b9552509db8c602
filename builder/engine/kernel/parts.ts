/**
 * Groups of addresses, and where an address stands at an instant: on which side of its purchase price, and in which
 * parts of `users`. The kernels and the TypeScript around them compile this very file. Source: methodology §3
 * "Break-even band" and §4.
 */

/** The group of an address that is no exchange and no contract. */
export const USER: i32 = 0;
/** The group of a smart contract that is not an exchange. */
export const CONTRACT: i32 = 1;
/** The group of exchange `EXCHANGE_SELECTORS[i]` is this plus i − 1, so that `other` comes first (`all` is no label). */
export const FIRST_EXCHANGE: i32 = 2;

/** How many there are of each, as in data-schema/cohorts.ts. */
export const VALUE_RANGES: i32 = 7;
export const BALANCE_COHORTS: i32 = 8;
export const AGES: i32 = 11;

/** At break-even, above the purchase price, below it. */
export const EVEN: u32 = 0;
export const PROFIT: u32 = 1;
export const LOSS: u32 = 2;
export const SIDES: i32 = 3;

/** A standing: value range | balance cohort << 3 | age << 6 | side << 10. */
export function packStanding(range: u32, cohort: u32, age: u32, side: u32): u32 {
  return range | (cohort << 3) | (age << 6) | (side << 10);
}

export function valuePart(standing: u32): i32 {
  return standing & 7;
}
export function cohortPart(standing: u32): i32 {
  return (standing >> 3) & 7;
}
/** `AGES` for addresses that have held for longer than the last age cohort: they are in none. */
export function agePart(standing: u32): i32 {
  return (standing >> 6) & 15;
}
export function sidePart(standing: u32): u32 {
  return standing >> 10;
}
