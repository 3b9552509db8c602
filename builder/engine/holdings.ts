/**
 * What all holders hold at the close of each day, by cohort and exchange: exact sums, as the kernel counts them, and
 * what they are in doubles. Source: methodology §7.
 *
 * Exact, a sum does not depend on the order of its addends: not on how addresses were dealt out to parts, nor on
 * where a replay began.
 */

import { AGE_COHORTS, BALANCE_COHORTS, BASE_COHORTS, VALUE_RANGES } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { signedDigits, TokenUnit } from "./amounts.ts";
import { SIDES } from "./kernel/parts.ts";

// The kernel's cells (kernel/replay.ts): the subdivisions of `users`, with an age that is in no cohort, sc, cex, each
// for three sides; then each exchange.
const AGES = VALUE_RANGES.length + BALANCE_COHORTS.length;
const CONTRACTS = AGES + AGE_COHORTS.length + 1;
const EXCHANGES = CONTRACTS + 1;
const RESERVE_CELLS = SIDES * (EXCHANGES + 1);
const RESERVES_NAMED = EXCHANGE_SELECTORS.length - 1;
const CELLS = RESERVE_CELLS + RESERVES_NAMED;

/**
 * Exact sums per day and cell: the number of addresses, `tokenDigits` digits of Σ n in raw units, and `costDigits`
 * digits of Σ n·a, in two's complement; digits are 32 bits each, the least first.
 */
export interface ExactHoldings {
  days: number;
  tokenDigits: number;
  costDigits: number;
  /** The least digit of a cost counts 2^(32 · lowestCost − 1074) USD. */
  lowestCost: number;
  digits: Uint32Array;
}

/** Collects the days that the kernel closes. */
export class HoldingsWriter {
  readonly #tokenDigits: number;
  /** Each with the digits that had come into use by then. */
  readonly #days: ExactHoldings[] = [];

  constructor(tokenDigits: number) {
    this.#tokenDigits = tokenDigits;
  }

  /** @param row the kernel's; it goes on to use it */
  closeDay(row: Uint32Array, lowest: number, highest: number): void {
    const tokenDigits = this.#tokenDigits;
    const costDigits = Math.max(0, highest + 2 - lowest);
    const digits = row.slice(0, CELLS * (1 + tokenDigits + costDigits));
    this.#days.push({ days: 1, tokenDigits, costDigits, lowestCost: lowest, digits });
  }

  finish(): ExactHoldings {
    const whole = roomFor(this.#days.length, this.#tokenDigits, this.#days);
    this.#days.forEach((holdings, day) => {
      addDay(whole, day, holdings, 0);
    });
    return whole;
  }
}

/** The sum of all parts. */
export function sumHoldings(parts: readonly ExactHoldings[]): ExactHoldings {
  const [first] = parts;
  if (parts.length === 1) return first;
  const sum = roomFor(first.days, first.tokenDigits, parts);
  for (const part of parts) for (let day = 0; day < sum.days; day++) addDay(sum, day, part, day);
  return sum;
}

/** Nothing held on so many days, with every digit that one of the holdings has. */
function roomFor(days: number, tokenDigits: number, holdings: readonly ExactHoldings[]): ExactHoldings {
  let lowestCost = Number.POSITIVE_INFINITY;
  let endOfCosts = 0;
  for (const part of holdings) {
    if (part.costDigits === 0) continue;
    lowestCost = Math.min(lowestCost, part.lowestCost);
    endOfCosts = Math.max(endOfCosts, part.lowestCost + part.costDigits);
  }
  if (endOfCosts === 0) lowestCost = 0;
  const costDigits = endOfCosts - lowestCost;
  const digits = new Uint32Array(days * CELLS * (1 + tokenDigits + costDigits));
  return { days, tokenDigits, costDigits, lowestCost, digits };
}

/** Adds a day of some holdings to a day of others, which have the same digits and perhaps more. */
function addDay(into: ExactHoldings, intoDay: number, from: ExactHoldings, fromDay: number): void {
  const fromWidth = 1 + from.tokenDigits + from.costDigits;
  const intoWidth = 1 + into.tokenDigits + into.costDigits;
  const shift = from.costDigits === 0 ? 0 : from.lowestCost - into.lowestCost;
  for (let cell = 0; cell < CELLS; cell++) {
    const at = (fromDay * CELLS + cell) * fromWidth;
    const to = (intoDay * CELLS + cell) * intoWidth;
    if (from.digits[at] === 0) continue;
    into.digits[to] += from.digits[at];
    addDigits(into.digits, to + 1, into.tokenDigits, from.digits, at + 1, from.tokenDigits);
    const costTo = to + 1 + into.tokenDigits + shift;
    addDigits(into.digits, costTo, into.costDigits - shift, from.digits, at + 1 + from.tokenDigits, from.costDigits);
  }
}

const SIGN_BIT = 0x8000_0000;

/** Adds a number to another that has as many digits or more. */
function addDigits(into: Uint32Array, to: number, room: number, from: Uint32Array, at: number, count: number): void {
  // Two's complement: beyond its last digit a number goes on with its sign.
  const sign = room > count && count > 0 && from[at + count - 1] >= SIGN_BIT ? 0xffff_ffff : 0;
  let carry = 0;
  for (let k = 0; k < room; k++) {
    const sum = into[to + k] + (k < count ? from[at + k] : sign) + carry;
    into[to + k] = sum;
    carry = sum > 0xffff_ffff ? 1 : 0;
  }
}

/** Per side (at break-even, in profit, in loss): Σ n, Σ n·a, number of addresses. */
const SIDE_WIDTH = 3;
/** The parts of `users`: value ranges, then balance cohorts, then ages. */
const SUBDIVISIONS = VALUE_RANGES.length + BALANCE_COHORTS.length + AGE_COHORTS.length;
/** Numbers per cohort. */
export const COHORT_WIDTH = SIDES * SIDE_WIDTH;
/** Where the exchanges' reserves (Σ n each, in the order of `EXCHANGE_SELECTORS`) follow the cohorts of set C. */
export const RESERVES = (BASE_COHORTS.length + SUBDIVISIONS) * COHORT_WIDTH;
/** Numbers per day. */
export const DAY_WIDTH = RESERVES + EXCHANGE_SELECTORS.length;

const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
const USER_PARTS = range(VALUE_RANGES.length, BALANCE_COHORTS.length);
/** The cells, of one side, that make up each cohort of set C: `users` is the sum of its balance cohorts. */
const COHORT_CELLS = [
  [...USER_PARTS, CONTRACTS, EXCHANGES],
  USER_PARTS,
  [CONTRACTS],
  [EXCHANGES],
  ...range(0, SUBDIVISIONS).map((part) => [part]),
].map((cells) => cells.map((cell) => SIDES * cell));
const ALL_RESERVES = range(SIDES * EXCHANGES, SIDES);

/** The holdings in doubles, `DAY_WIDTH` numbers a day, each correctly rounded or next to that. */
export function roundHoldings(holdings: ExactHoldings, decimals: number): Float64Array {
  const { days, tokenDigits, costDigits, lowestCost, digits } = holdings;
  const unit = new TokenUnit(decimals);
  const width = 1 + tokenDigits + costDigits;
  const sum = new Uint32Array(width + 1);
  const rounded = new Float64Array(days * DAY_WIDTH);

  const addUp = (day: number, cells: readonly number[], side: number) => {
    sum.fill(0);
    for (const cell of cells) {
      const at = (day * CELLS + cell + side) * width;
      if (digits[at] === 0) continue;
      sum[0] += digits[at];
      addDigits(sum, 1, tokenDigits, digits, at + 1, tokenDigits);
      addDigits(sum, 1 + tokenDigits, costDigits + 1, digits, at + 1 + tokenDigits, costDigits);
    }
    return sum[0];
  };
  for (let day = 0; day < days; day++) {
    COHORT_CELLS.forEach((cells, cohort) => {
      for (let side = 0; side < SIDES; side++) {
        const addresses = addUp(day, cells, side);
        if (addresses === 0) continue;
        const at = day * DAY_WIDTH + cohort * COHORT_WIDTH + side * SIDE_WIDTH;
        rounded[at] = unit.tokens(sum, 1, tokenDigits);
        rounded[at + 1] = signedDigits(sum, 1 + tokenDigits, costDigits + 1, 32 * lowestCost - 1074);
        rounded[at + 2] = addresses;
      }
    });
    for (let selector = 0; selector <= RESERVES_NAMED; selector++) {
      const cells = selector === 0 ? ALL_RESERVES : [RESERVE_CELLS + selector - 1];
      if (addUp(day, cells, 0) > 0) rounded[day * DAY_WIDTH + RESERVES + selector] = unit.tokens(sum, 1, tokenDigits);
    }
  }
  return rounded;
}
