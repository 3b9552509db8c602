/**
 * Holdings by cohort and exchange at the close of each day: the exact sums of the kernel, and their values as doubles.
 * Source: docs/methodology.md §7.
 *
 * An exact sum does not depend on the order of its addends: neither on the number of partitions, nor on where a replay
 * began.
 */

import { AGE_COHORTS, BALANCE_COHORTS, BASE_COHORTS, SET_C, VALUE_RANGES } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { scaleSignedToDouble, TokenUnit } from "./amounts.ts";
import type { CloseCollector, Closes, KernelTable } from "./close.ts";
import { SIDES } from "./kernel/classification.ts";

// The accumulators of a day, in the kernel's order (kernel/replay.ts): the subdivisions of `users`, ages older than any
// cohort, sc and cex, each with three sides; then the exchanges.
const AGES = VALUE_RANGES.length + BALANCE_COHORTS.length;
const CONTRACTS = AGES + AGE_COHORTS.length + 1;
const EXCHANGES = CONTRACTS + 1;
const FIRST_RESERVE = SIDES * (EXCHANGES + 1);
const ACCUMULATORS = FIRST_RESERVE + EXCHANGE_SELECTORS.length - 1;

/**
 * Exact sums per day and accumulator: the number of addresses, `tokenDigits` digits of Σ n in raw units, and
 * `costDigits` digits of Σ n·a, in two's complement. Digits have 32 bits, least significant first.
 */
interface ExactHoldings {
  days: number;
  tokenDigits: number;
  costDigits: number;
  /** The lowest digit of a cost is worth 2^(32 · lowestCost − 1074) USD. */
  lowestCost: number;
  digits: Uint32Array;
}

/** Collects the days that the kernel closes. */
class HoldingsCollector implements CloseCollector<ExactHoldings> {
  readonly #tokenDigits: number;
  /** Each with the cost digits in use by then. */
  readonly #days: ExactHoldings[] = [];

  constructor(tokenDigits: number) {
    this.#tokenDigits = tokenDigits;
  }

  /** Copies the sums, which have cost digits from `lowest` to `highest`. */
  close(table: KernelTable, lowest: number, highest: number): void {
    const tokenDigits = this.#tokenDigits;
    const costDigits = Math.max(0, highest + 2 - lowest);
    const digits = table("closingSums").slice(0, ACCUMULATORS * (1 + tokenDigits + costDigits));
    this.#days.push({ days: 1, tokenDigits, costDigits, lowestCost: lowest, digits });
  }

  finish(): ExactHoldings {
    const all = allocateFor(this.#days.length, this.#tokenDigits, this.#days);
    for (const [day, holdings] of this.#days.entries()) addDay(all, day, holdings, 0);
    return all;
  }
}

/** The sum of the holdings of two partitions. */
function addHoldings(one: ExactHoldings, other: ExactHoldings): ExactHoldings {
  const sum = allocateFor(one.days, one.tokenDigits, [one, other]);
  for (const holdings of [one, other]) for (let day = 0; day < sum.days; day++) addDay(sum, day, holdings, day);
  return sum;
}

/** Zeros for a number of days, with every digit that any of the holdings uses. */
function allocateFor(days: number, tokenDigits: number, holdings: readonly ExactHoldings[]): ExactHoldings {
  const withCosts = holdings.filter(({ costDigits }) => costDigits > 0);
  const lowestCost = withCosts.length === 0 ? 0 : Math.min(...withCosts.map(({ lowestCost }) => lowestCost));
  const end = Math.max(0, ...withCosts.map(({ lowestCost, costDigits }) => lowestCost + costDigits));
  const costDigits = end - lowestCost;
  const digits = new Uint32Array(days * ACCUMULATORS * (1 + tokenDigits + costDigits));
  return { days, tokenDigits, costDigits, lowestCost, digits };
}

/** Adds a day of some holdings to a day of others, which must have the same digits or more. */
function addDay(into: ExactHoldings, intoDay: number, from: ExactHoldings, fromDay: number): void {
  const fromWidth = 1 + from.tokenDigits + from.costDigits;
  const intoWidth = 1 + into.tokenDigits + into.costDigits;
  const shift = from.costDigits === 0 ? 0 : from.lowestCost - into.lowestCost;
  for (let accumulator = 0; accumulator < ACCUMULATORS; accumulator++) {
    const at = (fromDay * ACCUMULATORS + accumulator) * fromWidth;
    const to = (intoDay * ACCUMULATORS + accumulator) * intoWidth;
    if (from.digits[at] === 0) continue;
    into.digits[to]! += from.digits[at]!;
    addDigits(into.digits, to + 1, into.tokenDigits, from.digits, at + 1, from.tokenDigits);
    const costTo = to + 1 + into.tokenDigits + shift;
    addDigits(into.digits, costTo, into.costDigits - shift, from.digits, at + 1 + from.tokenDigits, from.costDigits);
  }
}

const SIGN_BIT = 0x8000_0000;

/** Adds a number to another that has as many digits or more. */
function addDigits(into: Uint32Array, to: number, room: number, from: Uint32Array, at: number, count: number): void {
  // In two's complement, a number is extended by its sign.
  const sign = room > count && count > 0 && from[at + count - 1]! >= SIGN_BIT ? 0xffff_ffff : 0;
  let carry = 0;
  for (let k = 0; k < room; k++) {
    const sum = into[to + k]! + (k < count ? from[at + k]! : sign) + carry;
    into[to + k] = sum;
    carry = sum > 0xffff_ffff ? 1 : 0;
  }
}

/** Per side (at break-even, in profit, in loss): Σ n, Σ n·a, number of addresses. */
const SIDE_WIDTH = 3;
/** The cohorts of `users`: value ranges, then balance cohorts, then ages. */
const SUBDIVISIONS = VALUE_RANGES.length + BALANCE_COHORTS.length + AGE_COHORTS.length;
/** Numbers per cohort. */
const COHORT_WIDTH = SIDES * SIDE_WIDTH;
/** The offset in a day of the exchanges' reserves (Σ n each, in the order of `EXCHANGE_SELECTORS`), after set C. */
const RESERVES = (BASE_COHORTS.length + SUBDIVISIONS) * COHORT_WIDTH;
/** Numbers per day. */
const DAY_WIDTH = RESERVES + EXCHANGE_SELECTORS.length;

const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
/** `users` is the sum of its balance cohorts. */
const USERS = range(VALUE_RANGES.length, BALANCE_COHORTS.length);
/** The accumulators of the first side that add up to each cohort of set C. */
const COHORTS = [
  [...USERS, CONTRACTS, EXCHANGES],
  USERS,
  [CONTRACTS],
  [EXCHANGES],
  ...range(0, SUBDIVISIONS).map((subdivision) => [subdivision]),
].map((accumulators) => accumulators.map((accumulator) => SIDES * accumulator));
/** The accumulators that add up to each exchange selector's reserve; the first is `all`. */
const RESERVE_SELECTORS = [
  range(SIDES * EXCHANGES, SIDES),
  ...range(FIRST_RESERVE, EXCHANGE_SELECTORS.length - 1).map((accumulator) => [accumulator]),
];

/** The holdings as doubles, `DAY_WIDTH` numbers a day, each correctly rounded or off by one unit in the last place. */
function roundHoldings(holdings: ExactHoldings, decimals: number): Float64Array {
  const { days, tokenDigits, costDigits, lowestCost, digits } = holdings;
  const unit = new TokenUnit(decimals);
  const width = 1 + tokenDigits + costDigits;
  /** Token digits, then cost digits with one more for carries. */
  const sum = new Uint32Array(width);
  const rounded = new Float64Array(days * DAY_WIDTH);

  const addUp = (day: number, accumulators: readonly number[], side: number): number => {
    sum.fill(0);
    let addresses = 0;
    for (const accumulator of accumulators) {
      const at = (day * ACCUMULATORS + accumulator + side) * width;
      if (digits[at] === 0) continue;
      addresses += digits[at]!;
      addDigits(sum, 0, tokenDigits, digits, at + 1, tokenDigits);
      addDigits(sum, tokenDigits, costDigits + 1, digits, at + 1 + tokenDigits, costDigits);
    }
    return addresses;
  };
  for (let day = 0; day < days; day++) {
    for (const [cohort, accumulators] of COHORTS.entries()) {
      for (let side = 0; side < SIDES; side++) {
        const addresses = addUp(day, accumulators, side);
        if (addresses === 0) continue;
        const at = day * DAY_WIDTH + cohort * COHORT_WIDTH + side * SIDE_WIDTH;
        rounded[at] = unit.tokens(sum, 0, tokenDigits);
        rounded[at + 1] = scaleSignedToDouble(sum, tokenDigits, costDigits + 1, 32 * lowestCost - 1074);
        rounded[at + 2] = addresses;
      }
    }
    for (const [selector, accumulators] of RESERVE_SELECTORS.entries()) {
      if (addUp(day, accumulators, 0) === 0) continue;
      rounded[day * DAY_WIDTH + RESERVES + selector] = unit.tokens(sum, 0, tokenDigits);
    }
  }
  return rounded;
}

export const HOLDINGS = {
  collect: (words) => new HoldingsCollector(words),
  merge: addHoldings,
  round: roundHoldings,
  width: DAY_WIDTH,
  families: {
    cohorts: (selector: string) => (SET_C as readonly string[]).indexOf(selector) * COHORT_WIDTH,
    /** Tokens only. */
    reserves: (selector: string) => RESERVES + (EXCHANGE_SELECTORS as readonly string[]).indexOf(selector),
    /** All of them together. */
    contracts: () => SET_C.indexOf("sc") * COHORT_WIDTH,
  },
} as const satisfies Closes<ExactHoldings>;
