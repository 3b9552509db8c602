/** The parts by which a replay adds up holders, in the order of assembly/replay.ts, and the cohorts that they add up to. */

import { AGE_COHORTS, BALANCE_COHORTS, SET_C, VALUE_RANGES, withTerms } from "../../../data-schema/registry.ts";
import { AGE_STEPS, SPLIT_AGE } from "../classification.ts";

export const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

const AGES = VALUE_RANGES.length + BALANCE_COHORTS.length;
const CONTRACTS = AGES + AGE_STEPS;
export const EXCHANGE_PARTS = CONTRACTS + 1;
export const PARTS = EXCHANGE_PARTS + 1;

/** The cohorts of state metrics. */
export const STATE_COHORTS: readonly string[] = withTerms(SET_C);

/** `users` is the sum of its balance cohorts. */
const USERS = range(VALUE_RANGES.length, BALANCE_COHORTS.length);
/** The steps of ages before the edge of terms. */
const SHORT_TERM = SPLIT_AGE + 1;

/** The parts that add up to each cohort. */
export const COHORT_PARTS: readonly (readonly number[])[] = [
  [...USERS, CONTRACTS, EXCHANGE_PARTS],
  USERS,
  [CONTRACTS],
  [EXCHANGE_PARTS],
  ...range(0, AGES).map((part) => [part]),
  ...AGE_COHORTS.map((_, age) => {
    const step = AGES + age + (age > SPLIT_AGE ? 1 : 0);
    return age === SPLIT_AGE ? [step, step + 1] : [step];
  }),
  range(AGES, SHORT_TERM),
  range(AGES + SHORT_TERM, AGE_STEPS - SHORT_TERM),
];
