/**
 * How long cohorts have held their coins at the close of each day, from the exact sums of the kernel
 * (assembly/held-since.ts) and from the holdings. Source: docs/methodology.md §9.
 *
 * τ · Σ n − Σ n · h in doubles would lose the leading digits of young holdings, so it is subtracted before it is rounded.
 */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { toBigInt } from "../history/amounts.ts";
import type { CloseFacts, Closes } from "./close.ts";
import { quotient, signedOf } from "./digits.ts";
import { addSums, type ExactSums, fieldsWidth, rowWidth, SumsCollector, type SumsLayout } from "./exact-sums.ts";
import { partHoldings } from "./holdings.ts";
import { COHORT_PARTS, PARTS, STATE_COHORTS } from "./parts.ts";

/** A time has two digits, by which products are longer than their factors. */
const TIME_DIGITS = 2;
/** The kernel's times are in 2^-22 seconds. */
const TIME_BITS = 22n;
const DAY_UNITS = BigInt(BUCKET_SECONDS.day) << TIME_BITS;

/** Per part Σ n · h in raw units and, as its cost, Σ n·a · h. */
const LAYOUT: SumsLayout = {
  table: "closingTimes",
  rows: PARTS,
  fields: (words) => [words + TIME_DIGITS],
  moreCostDigits: 1 + TIME_DIGITS,
};

/** A cohort's values: Σ n · (τ − h) in token-days, its quotient with Σ n, and Σ n·a · (τ − h) / Σ n·a, both in days. */
const COHORT_WIDTH = 3;
const DAY_WIDTH = COHORT_PARTS.length * COHORT_WIDTH;

function roundAges(times: ExactSums, { decimals, firstClose, ...others }: CloseFacts): Float64Array {
  const holdings = others.holdings as ExactSums;
  const raw = 10n ** BigInt(decimals);
  const rounded = new Float64Array(times.days * DAY_WIDTH).fill(Number.NaN);
  for (let day = 0; day < times.days; day++) {
    const close = BigInt(firstClose + day * BUCKET_SECONDS.day) << TIME_BITS;
    const parts = Array.from({ length: PARTS }, (_, part) => ageOf(times, holdings, day, part, close));
    for (const [cohort, members] of COHORT_PARTS.entries()) {
      const sum = { tokens: 0n, cost: 0n, tokenTime: 0n, costTime: 0n };
      for (const part of members) {
        const one = parts[part]!;
        if (!one) continue;
        sum.tokens += one.tokens;
        sum.cost += one.cost;
        sum.tokenTime += one.tokenTime;
        sum.costTime += one.costTime;
      }
      const at = day * DAY_WIDTH + cohort * COHORT_WIDTH;
      rounded[at] = quotient(sum.tokenTime, DAY_UNITS * raw);
      if (sum.tokens !== 0n) rounded[at + 1] = quotient(sum.tokenTime, DAY_UNITS * sum.tokens);
      if (sum.cost !== 0n) rounded[at + 2] = quotient(sum.costTime, DAY_UNITS * sum.cost);
    }
  }
  return rounded;
}

/** Σ n, Σ n·a, and their products with τ − h, in the units of the sums; undefined for a part without holders. */
function ageOf(times: ExactSums, holdings: ExactSums, day: number, part: number, close: bigint) {
  const { tokens, cost } = partHoldings(holdings, day, part);
  if (tokens === 0n) return undefined;
  const at = (day * PARTS + part) * rowWidth(times);
  const boughtTokens = toBigInt(times.digits, at, times.fields[0]!);
  const boughtCost = signedOf(times.digits, at + fieldsWidth(times), times.costDigits);
  // Both have the lowest digit of the costs of the same holders.
  return { tokens, cost, tokenTime: close * tokens - boughtTokens, costTime: close * cost - boughtCost };
}

export const AGES = {
  collect: (words) => new SumsCollector(LAYOUT, words),
  merge: (one, other) => addSums(one, other, LAYOUT),
  round: roundAges,
  width: DAY_WIDTH,
  families: {
    ages: (selector: string) => STATE_COHORTS.indexOf(selector) * COHORT_WIDTH,
  },
} as const satisfies Closes<ExactSums>;
