/**
 * The sums that flow metrics are made of, bucket by bucket. A family has one row of sums per selector; `add` says
 * which of them an event counts in. Source: methodology §6.
 *
 * This is the inner loop of the engine: five million events, some thirteen rows each, at three resolutions. So all
 * sums lie in one array, and each family's additions are written out in the one function that sees every event.
 */

import { SET_A, SET_D, SET_E } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { SAMPLE_EDGES_USD, TRANSFER_SAMPLES } from "../../data-schema/samples.ts";
import { agePart, balancePart, SIDES, type Standing, sidePart, valuePart } from "./classify.ts";
import { CONTRACT, FIRST_EXCHANGE, USER } from "./history.ts";
import type { Timeline } from "./timeline.ts";

interface FlowFamily {
  selectors: readonly string[];
  /** Sums per selector. */
  width: number;
}

/** Per side (`SIDES` of classify.ts): tokens, dollars received, dollars once paid. */
const SPENT_SIDE_WIDTH = 3;
/** Tokens and dollars. */
const AMOUNTS = 2;

export const FLOW_FAMILIES = {
  /** Transfers by the sender's cohort and side. */
  spent: { selectors: SET_A, width: SIDES * SPENT_SIDE_WIDTH },
  /** Number of transfers by dollar value. */
  transfers: { selectors: TRANSFER_SAMPLES, width: 1 },
  /** What parts of `users` receive: transfers and mints. */
  received: { selectors: SET_D, width: AMOUNTS },
  /** What parts of `users` send: transfers and burns. */
  sent: { selectors: SET_D, width: AMOUNTS },
  /** To each exchange from elsewhere: mints count, moves inside one exchange do not. */
  toExchange: { selectors: EXCHANGE_SELECTORS, width: AMOUNTS },
  /** From each exchange to elsewhere: burns count, moves inside one exchange do not. */
  fromExchange: { selectors: EXCHANGE_SELECTORS, width: AMOUNTS },
  /** Transfers between the parts of `users`, and all who are outside, and exchanges or contracts. */
  cohortToExchanges: { selectors: SET_E, width: AMOUNTS },
  exchangesToCohort: { selectors: SET_E, width: AMOUNTS },
  cohortToContracts: { selectors: SET_E, width: AMOUNTS },
  contractsToCohort: { selectors: SET_E, width: AMOUNTS },
} as const satisfies Record<string, FlowFamily>;

export type FlowFamilyName = keyof typeof FLOW_FAMILIES;

export const FLOW_FAMILY_NAMES = Object.keys(FLOW_FAMILIES) as FlowFamilyName[];

/** A row of sums is known by its number: the families' selectors, counted on from one family to the next. */
const FIRST_ROW = {} as Record<FlowFamilyName, number>;
let rowCount = 0;
for (const name of FLOW_FAMILY_NAMES) {
  FIRST_ROW[name] = rowCount;
  rowCount += FLOW_FAMILIES[name].selectors.length;
}
/** Rows of sums, of all families. */
export const ROWS = rowCount;
/** Sums per row. */
export const ROW_WIDTH = Uint8Array.from(
  FLOW_FAMILY_NAMES.flatMap((name) => FLOW_FAMILIES[name].selectors.map(() => FLOW_FAMILIES[name].width)),
);

/** The number of a family's row of sums. */
export function rowOf(family: FlowFamilyName, selector: string): number {
  return FIRST_ROW[family] + (FLOW_FAMILIES[family].selectors as readonly string[]).indexOf(selector);
}

const WIDEST = Math.max(...ROW_WIDTH);
const NOBODY = -1;

const { spent, transfers, received, sent, toExchange, fromExchange } = FIRST_ROW;
const { cohortToExchanges, exchangesToCohort, cohortToContracts, contractsToCohort } = FIRST_ROW;
// In SET_A and SET_E `total` comes first; in SET_A `users` second; parts of `users` follow in the order of SET_D.
const TOTAL = 0;
const USERS = 1;
const PARTS_OF_A = SET_A.indexOf(SET_D[0]);
const PARTS_OF_E = SET_E.indexOf(SET_D[0]);
// Of the samples and the exchanges, `all` comes first.
const ALL = 0;

/** The sums of the bucket at hand. */
export class FlowSums {
  /** Sums of row r at `WIDEST · r`; of the bucket at hand where the row is among `used`. */
  readonly values = new Float64Array(ROWS * WIDEST);
  /** The rows used in this bucket: the first `usedCount`. */
  readonly used = new Uint16Array(ROWS);
  usedCount = 0;
  #bucket = 1;
  readonly #lastBucket = new Uint32Array(ROWS);

  /** Starts the next bucket. */
  clear(): void {
    this.usedCount = 0;
    this.#bucket++;
  }

  /** Where a row's sums begin in `values`. */
  static at(row: number): number {
    return row * WIDEST;
  }

  /** Adds an event of the timeline; false when it counts nowhere. */
  add(timeline: Timeline, event: number): boolean {
    const x = timeline.tokens[event];
    if (x === 0) return false;
    const { groups, history } = timeline;
    const from = history.from[event];
    const to = history.to[event];
    const usd = x * timeline.price[event];
    const source = from === 0 ? NOBODY : groups[from];
    const target = to === 0 ? NOBODY : groups[to];
    const sender = timeline.sender[event];
    const receiver = timeline.receiver[event];

    if (source === USER) this.#addParts(sent, sender, x, usd);
    if (target === USER) this.#addParts(received, receiver, x, usd);
    if (source >= FIRST_EXCHANGE && source !== target) {
      if (target < FIRST_EXCHANGE) this.#addAmounts(fromExchange + ALL, x, usd);
      this.#addAmounts(fromExchange + source - FIRST_EXCHANGE + 1, x, usd);
    }
    if (target >= FIRST_EXCHANGE && target !== source) {
      if (source < FIRST_EXCHANGE) this.#addAmounts(toExchange + ALL, x, usd);
      this.#addAmounts(toExchange + target - FIRST_EXCHANGE + 1, x, usd);
    }
    if (source === NOBODY || target === NOBODY) return true;

    const cost = x * timeline.basis[event];
    const side = SPENT_SIDE_WIDTH * sidePart(sender);
    this.#addSpent(spent + TOTAL, side, x, usd, cost);
    if (source === USER) {
      this.#addSpent(spent + USERS, side, x, usd, cost);
      const parts = spent + PARTS_OF_A;
      this.#addSpent(parts + valuePart(sender), side, x, usd, cost);
      this.#addSpent(parts + balancePart(sender), side, x, usd, cost);
      const age = agePart(sender);
      if (age >= 0) this.#addSpent(parts + age, side, x, usd, cost);
    }

    let sample = 1;
    while (sample < SAMPLE_EDGES_USD.length && usd >= SAMPLE_EDGES_USD[sample]) sample++;
    this.values[this.#use(transfers + ALL, 1)] += 1;
    this.values[this.#use(transfers + sample, 1)] += 1;

    if (source < FIRST_EXCHANGE && target >= FIRST_EXCHANGE)
      this.#addOutside(cohortToExchanges, source, sender, x, usd);
    if (source >= FIRST_EXCHANGE && target < FIRST_EXCHANGE)
      this.#addOutside(exchangesToCohort, target, receiver, x, usd);
    if (source !== CONTRACT && target === CONTRACT) this.#addOutside(cohortToContracts, source, sender, x, usd);
    if (source === CONTRACT && target !== CONTRACT) this.#addOutside(contractsToCohort, target, receiver, x, usd);
    return true;
  }

  /** Adds a shorter bucket's sums. */
  addAll(shorter: FlowSums): void {
    for (let i = 0; i < shorter.usedCount; i++) {
      const row = shorter.used[i];
      const width = ROW_WIDTH[row];
      const from = FlowSums.at(row);
      const at = this.#use(row, width);
      for (let k = 0; k < width; k++) this.values[at + k] += shorter.values[from + k];
    }
  }

  /** Notes that a row is used in this bucket; where its sums begin. */
  #use(row: number, width: number): number {
    const at = row * WIDEST;
    if (this.#lastBucket[row] !== this.#bucket) {
      this.#lastBucket[row] = this.#bucket;
      this.used[this.usedCount++] = row;
      for (let k = 0; k < width; k++) this.values[at + k] = 0;
    }
    return at;
  }

  #addAmounts(row: number, x: number, usd: number): void {
    const at = this.#use(row, AMOUNTS);
    this.values[at] += x;
    this.values[at + 1] += usd;
  }

  #addSpent(row: number, side: number, x: number, usd: number, cost: number): void {
    const at = this.#use(row, SIDES * SPENT_SIDE_WIDTH) + side;
    this.values[at] += x;
    this.values[at + 1] += usd;
    this.values[at + 2] += cost;
  }

  /** Adds to the parts of `users`, of which `first` is the first row. */
  #addParts(first: number, standing: Standing, x: number, usd: number): void {
    this.#addAmounts(first + valuePart(standing), x, usd);
    this.#addAmounts(first + balancePart(standing), x, usd);
    const age = agePart(standing);
    if (age >= 0) this.#addAmounts(first + age, x, usd);
  }

  /** Adds a flow between a group and someone outside it, to a family of SET_E. */
  #addOutside(family: number, outside: number, standing: Standing, x: number, usd: number): void {
    this.#addAmounts(family + TOTAL, x, usd);
    if (outside === USER) this.#addParts(family + PARTS_OF_E, standing, x, usd);
  }
}
