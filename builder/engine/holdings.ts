/** What all holders hold at the close of each day, by cohort and exchange. Source: methodology §7. */

import { BASE_COHORTS } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { agePart, balancePart, SIDES, SUBDIVISIONS, valuePart } from "./classify.ts";
import { CONTRACT, FIRST_EXCHANGE, USER } from "./history.ts";
import type { Holders } from "./holders.ts";

/** Per side (at break-even, in profit, in loss): Σ n, Σ n·a, number of addresses. */
const SIDE_WIDTH = 3;
/** Numbers per cohort. */
export const COHORT_WIDTH = SIDES * SIDE_WIDTH;

const [TOTAL, USERS, CONTRACTS, EXCHANGES] = BASE_COHORTS.map((_, row) => row * COHORT_WIDTH);
const FIRST_SUBDIVISION = BASE_COHORTS.length * COHORT_WIDTH;
/** Where the exchanges' reserves (Σ n each, in the order of `EXCHANGE_SELECTORS`) follow the cohorts of set C. */
export const RESERVES = (BASE_COHORTS.length + SUBDIVISIONS) * COHORT_WIDTH;
/** Numbers per day. */
export const DAY_WIDTH = RESERVES + EXCHANGE_SELECTORS.length;

/**
 * Adds the holders' positions to the day at `day[at…]`, in the order of their places.
 *
 * @param groups the group of each holder
 * @param close the end of the day, Unix seconds
 * @param price USD per token at the close
 */
export function addHoldings(
  day: Float64Array,
  at: number,
  holders: Holders,
  groups: Uint8Array,
  close: number,
  price: number,
): void {
  const { live, held, basis } = holders;
  for (let word = 0; word < live.length; word++) {
    for (let bits = live[word]; bits !== 0; bits &= bits - 1) {
      const holder = 32 * word + 31 - Math.clz32(bits & -bits);
      const n = held[holder];
      const standing = holders.standing(holder, close, price);
      const side = SIDE_WIDTH * (standing >> 10);
      const cost = n * basis[holder];
      const group = groups[holder];
      if (group === USER) {
        const age = agePart(standing);
        addHolder(day, at + FIRST_SUBDIVISION + valuePart(standing) * COHORT_WIDTH + side, n, cost);
        addHolder(day, at + FIRST_SUBDIVISION + balancePart(standing) * COHORT_WIDTH + side, n, cost);
        if (age >= 0) addHolder(day, at + FIRST_SUBDIVISION + age * COHORT_WIDTH + side, n, cost);
        addHolder(day, at + USERS + side, n, cost);
      } else if (group === CONTRACT) {
        addHolder(day, at + CONTRACTS + side, n, cost);
      } else {
        addHolder(day, at + EXCHANGES + side, n, cost);
        day[at + RESERVES] += n;
        day[at + RESERVES + group - FIRST_EXCHANGE + 1] += n;
      }
      addHolder(day, at + TOTAL + side, n, cost);
    }
  }
}

function addHolder(day: Float64Array, at: number, n: number, cost: number): void {
  day[at] += n;
  day[at + 1] += cost;
  day[at + 2] += 1;
}
