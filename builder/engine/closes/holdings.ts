/**
 * Holdings by cohort and exchange at the close of each day: the exact sums of the kernel, and their values as doubles.
 * Source: docs/methodology.md §7.
 */

import { EXCHANGE_SELECTORS, SINGLE_SERIES } from "../../../data-schema/registry.ts";
import { SIDES } from "../classification.ts";
import { scaleSignedToDouble, TokenUnit, toBigInt } from "../history/amounts.ts";
import type { CloseFacts, Closes, ExactCloses } from "./close.ts";
import { addDigits, signedOf } from "./digits.ts";
import {
  addSums,
  type ExactSums,
  fieldsWidth,
  isNothing,
  rowWidth,
  SumsCollector,
  type SumsLayout,
} from "./exact-sums.ts";
import { COHORT_PARTS, EXCHANGE_PARTS, PARTS, range, STATE_COHORTS } from "./parts.ts";

// The accumulators of a day: three sides of each part, then the exchanges.
const FIRST_RESERVE = SIDES * PARTS;
const ACCUMULATORS = FIRST_RESERVE + EXCHANGE_SELECTORS.length - 1;

/** Per accumulator the number of addresses, Σ n in raw units and, as its cost, Σ n·a. */
const LAYOUT: SumsLayout = {
  table: "closingSums",
  rows: ACCUMULATORS,
  fields: (words) => [1, words],
  moreCostDigits: 1,
};

/** Per side (at break-even, in profit, in loss): Σ n, Σ n·a, number of addresses. */
const SIDE_WIDTH = 3;
/** Numbers per cohort. */
const COHORT_WIDTH = SIDES * SIDE_WIDTH;
/** The offset in a day of the exchanges' reserves (Σ n each, in the order of `EXCHANGE_SELECTORS`), after the cohorts. */
const RESERVES = COHORT_PARTS.length * COHORT_WIDTH;
/** Numbers per day. */
const DAY_WIDTH = RESERVES + EXCHANGE_SELECTORS.length;

/** The accumulators of the first side that add up to each cohort. */
const COHORTS = COHORT_PARTS.map((parts) => parts.map((part) => SIDES * part));
/** The accumulators that add up to each exchange selector's reserve; the first is `all`. */
const RESERVE_SELECTORS = [
  range(SIDES * EXCHANGE_PARTS, SIDES),
  ...range(FIRST_RESERVE, EXCHANGE_SELECTORS.length - 1).map((accumulator) => [accumulator]),
];

/** The holdings as doubles, `DAY_WIDTH` numbers a day, each correctly rounded or off by one unit in the last place. */
function roundHoldings(holdings: ExactSums, { decimals }: CloseFacts): Float64Array {
  const { days, fields, costDigits, lowestCost, digits } = holdings;
  const [, tokenDigits] = fields as [number, number];
  const unit = new TokenUnit(decimals);
  const width = rowWidth(holdings);
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

/** The holdings of a part on a day, of all sides: Σ n in raw units, and Σ n·a in units of the lowest digit of a cost. */
export function partHoldings(holdings: ExactSums, day: number, part: number): { tokens: bigint; cost: bigint } {
  const { digits, fields, costDigits } = holdings;
  const width = rowWidth(holdings);
  let [tokens, cost] = [0n, 0n];
  for (let side = 0; side < SIDES; side++) {
    const at = (day * ACCUMULATORS + SIDES * part + side) * width;
    if (isNothing(holdings, at)) continue;
    tokens += toBigInt(digits, at + 1, fields[1]!);
    cost += signedOf(digits, at + fieldsWidth(holdings), costDigits);
  }
  return { tokens, cost };
}

/** The sum of all balances at the close of a day, raw. */
export const totalSupply = (holdings: ExactCloses, day: number): bigint =>
  COHORT_PARTS[STATE_COHORTS.indexOf(SINGLE_SERIES)]!.reduce(
    (sum, part) => sum + partHoldings(holdings as ExactSums, day, part).tokens,
    0n,
  );

export const HOLDINGS = {
  collect: (words) => new SumsCollector(LAYOUT, words),
  merge: (one, other) => addSums(one, other, LAYOUT),
  round: roundHoldings,
  width: DAY_WIDTH,
  families: {
    cohorts: (selector: string) => STATE_COHORTS.indexOf(selector) * COHORT_WIDTH,
    /** Tokens only. */
    reserves: (selector: string) => RESERVES + (EXCHANGE_SELECTORS as readonly string[]).indexOf(selector),
    /** All of them together. */
    contracts: () => STATE_COHORTS.indexOf("sc") * COHORT_WIDTH,
  },
} as const satisfies Closes<ExactSums>;
