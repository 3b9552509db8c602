/**
 * Where an address stands at an instant: in profit or in loss, and in which parts of `users`.
 * Source: methodology §3 "Break-even band" and §4.
 */

import {
  AGE_COHORTS,
  AGE_EDGES_SECONDS,
  BALANCE_COHORTS,
  VALUE_RANGE_EDGES_USD,
  VALUE_RANGES,
} from "../../data-schema/cohorts.ts";
import { fromBigInt } from "./amounts.ts";

/** At break-even, above the purchase price, below it. */
export const EVEN = 0;
export const PROFIT = 1;
export const LOSS = 2;
export type Side = typeof EVEN | typeof PROFIT | typeof LOSS;
export const SIDES = 3;

const BAND = 1e-9;

/** On which side of the average purchase price `basis` a price lies; both in USD per token. */
export function sideOf(price: number, basis: number): Side {
  const difference = price - basis;
  if (difference > BAND * price) return difference > BAND * basis ? PROFIT : EVEN;
  if (-difference > BAND * basis) return -difference > BAND * price ? LOSS : EVEN;
  return EVEN;
}

/** Index into `VALUE_RANGES` of a balance's worth. */
export function valueRange(usd: number): number {
  let range = 0;
  while (range < VALUE_RANGES.length - 1 && usd >= VALUE_RANGE_EDGES_USD[range + 1]) range++;
  return range;
}

/** `holdingAge` of addresses that have held for longer than the last age cohort: they are in none. */
export const NO_AGE = AGE_COHORTS.length;

/**
 * Index into `AGE_COHORTS`, or `NO_AGE`.
 *
 * @param at the instant, Unix seconds
 * @param since the average purchase time h, Unix seconds; rounded here to the nearest second, half up
 */
export function holdingAge(at: number, since: number): number {
  const age = at - Math.floor(since + 0.5);
  let cohort = 0;
  while (cohort < NO_AGE && age >= AGE_EDGES_SECONDS[cohort + 1]) cohort++;
  return cohort;
}

/** Sorts exact balances into `BALANCE_COHORTS`. */
export class BalanceCohorts {
  readonly #edges: Uint32Array;
  readonly #count: number;
  readonly #words: number;

  /**
   * @param edges lower edges of balance_cohort_1 … 7 in raw units, ascending
   * @param words 32-bit words per balance; edges that need more are out of reach
   */
  constructor(edges: readonly bigint[], words: number) {
    const reachable = edges.filter((edge) => edge < 1n << BigInt(32 * words));
    this.#count = reachable.length;
    this.#words = words;
    this.#edges = new Uint32Array(reachable.length * words);
    reachable.forEach((edge, n) => {
      fromBigInt(edge, this.#edges, n * words, words);
    });
  }

  /** Index into `BALANCE_COHORTS` of the balance at `balances[at…]`. */
  cohort(balances: Uint32Array, at: number): number {
    let cohort = 0;
    while (cohort < this.#count && this.#reaches(balances, at, cohort)) cohort++;
    return cohort;
  }

  #reaches(balances: Uint32Array, at: number, edge: number): boolean {
    const edgeAt = edge * this.#words;
    for (let k = this.#words - 1; k >= 0; k--) {
      const difference = balances[at + k] - this.#edges[edgeAt + k];
      if (difference !== 0) return difference > 0;
    }
    return true;
  }
}

/** The parts of `users` an address is in, and its side, in 16 bits. */
export type Standing = number;

export function packStanding(value: number, balance: number, age: number, side: Side): Standing {
  return value | (balance << 3) | (age << 6) | (side << 10);
}

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
