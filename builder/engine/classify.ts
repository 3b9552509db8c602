/**
 * Where an address stands at an instant: in profit or in loss, and in which parts of `users`. The kernel tells
 * (kernel/standing.ts); here is how to read it. Source: methodology §3 "Break-even band" and §4.
 */

import { AGE_COHORTS, BALANCE_COHORTS, VALUE_RANGES } from "../../data-schema/cohorts.ts";

/** At break-even, above the purchase price, below it. */
export const EVEN = 0;
export const PROFIT = 1;
export const LOSS = 2;
export type Side = typeof EVEN | typeof PROFIT | typeof LOSS;
export const SIDES = 3;

/** The age of addresses that have held for longer than the last age cohort: they are in none. */
export const NO_AGE = AGE_COHORTS.length;

/** The parts of `users` an address is in, and its side: value range | balance cohort << 3 | age << 6 | side << 10. */
export type Standing = number;

/** Number of value ranges, balance cohorts and ages, `NO_AGE` not counted. */
export const SUBDIVISIONS = VALUE_RANGES.length + BALANCE_COHORTS.length + AGE_COHORTS.length;
const FIRST_BALANCE = VALUE_RANGES.length;
const FIRST_AGE = VALUE_RANGES.length + BALANCE_COHORTS.length;

/** Positions among the subdivisions: value ranges, then balance cohorts, then ages; −1 for `NO_AGE`. */
export function valuePart(standing: Standing): number {
  return standing & 7;
}
export function balancePart(standing: Standing): number {
  return FIRST_BALANCE + ((standing >> 3) & 7);
}
export function agePart(standing: Standing): number {
  const age = (standing >> 6) & 15;
  return age === NO_AGE ? -1 : FIRST_AGE + age;
}
export function sidePart(standing: Standing): Side {
  return (standing >> 10) as Side;
}
