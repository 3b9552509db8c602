/**
 * Groups of addresses, as in history.ts, and how a standing is packed, as in classify.ts:
 * value range | balance cohort << 3 | age << 6 | side << 10.
 */

export const USER: i32 = 0;
export const CONTRACT: i32 = 1;
export const FIRST_EXCHANGE: i32 = 2;

export const VALUE_RANGES: i32 = 7;
export const BALANCE_COHORTS: i32 = 8;
export const AGES: i32 = 11;

export const EVEN: u32 = 0;
export const PROFIT: u32 = 1;
export const LOSS: u32 = 2;
export const SIDES: i32 = 3;

export function packStanding(range: u32, cohort: u32, age: u32, side: u32): u32 {
  return range | (cohort << 3) | (age << 6) | (side << 10);
}

export function valuePart(standing: u32): i32 {
  return standing & 7;
}
export function cohortPart(standing: u32): i32 {
  return (standing >> 3) & 7;
}
/** `AGES` for older ones. */
export function agePart(standing: u32): i32 {
  return (standing >> 6) & 15;
}
export function sidePart(standing: u32): u32 {
  return standing >> 10;
}
