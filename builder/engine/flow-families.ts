/**
 * The sums that flow metrics are made of. A family has one row of sums per selector and says which rows an event
 * adds to. Source: methodology §6.
 */

import { SET_A, SET_D, SET_E } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { SAMPLE_EDGES_USD, TRANSFER_SAMPLES } from "../../data-schema/samples.ts";
import type { Cells } from "./cells.ts";
import { agePart, balancePart, SIDES, type Standing, sidePart, valuePart } from "./classify.ts";
import { CONTRACT, FIRST_EXCHANGE, USER } from "./history.ts";

/** One event that counts. A mint has no sender, a burn no receiver. */
export interface Flow {
  kind: "transfer" | "mint" | "burn";
  /** Whole tokens x. */
  tokens: number;
  /** x · P, USD. */
  usd: number;
  /** x · a, USD: what the sender once paid. */
  cost: number;
  /** Groups as in history.ts; `NOBODY` for the zero address. */
  senderGroup: number;
  receiverGroup: number;
  sender: Standing;
  receiver: Standing;
}

/** The group of the zero address. */
export const NOBODY = -1;

export interface FlowFamily {
  selectors: readonly string[];
  /** Sums per selector. */
  width: number;
  add(cells: Cells, flow: Flow): void;
}

const ALL = 0;
const TOTAL = 0;
const USERS = 1;
const isExchange = (group: number) => group >= FIRST_EXCHANGE;
const selectorOfExchange = (group: number) => group - FIRST_EXCHANGE + 1;

function addAmounts(cells: Cells, selector: number, flow: Flow): void {
  const at = cells.touch(selector);
  cells.values[at] += flow.tokens;
  cells.values[at + 1] += flow.usd;
}

/** Adds to the parts of `users`, of which `firstSelector` is the first. */
function addSubdivisions(cells: Cells, firstSelector: number, standing: Standing, flow: Flow): void {
  addAmounts(cells, firstSelector + valuePart(standing), flow);
  addAmounts(cells, firstSelector + balancePart(standing), flow);
  const age = agePart(standing);
  if (age >= 0) addAmounts(cells, firstSelector + age, flow);
}

const [FIRST_OF_A, FIRST_OF_D, FIRST_OF_E] = [SET_A, SET_D, SET_E].map((set) =>
  (set as readonly string[]).indexOf(SET_D[0]),
);

/** Per side: tokens, dollars received, dollars once paid. */
const SPENT_SIDE_WIDTH = 3;

function addSpent(cells: Cells, selector: number, flow: Flow, side: number): void {
  const at = cells.touch(selector) + side;
  cells.values[at] += flow.tokens;
  cells.values[at + 1] += flow.usd;
  cells.values[at + 2] += flow.cost;
}

/** Flows from the parts of `users`, and all who are outside, to a group; or the reverse. */
function counterparties(isInside: (group: number) => boolean, direction: "in" | "out"): FlowFamily {
  return {
    selectors: SET_E,
    width: 2,
    add(cells, flow) {
      if (flow.kind !== "transfer") return;
      const inward = direction === "in";
      const outside = inward ? flow.senderGroup : flow.receiverGroup;
      if (!isInside(inward ? flow.receiverGroup : flow.senderGroup) || isInside(outside)) return;
      addAmounts(cells, TOTAL, flow);
      if (outside === USER) addSubdivisions(cells, FIRST_OF_E, inward ? flow.sender : flow.receiver, flow);
    },
  };
}

/** Flows to each exchange from elsewhere, or the reverse: mints and burns count, moves inside one exchange do not. */
function exchangeFlows(direction: "in" | "out"): FlowFamily {
  return {
    selectors: EXCHANGE_SELECTORS,
    width: 2,
    add(cells, flow) {
      const inward = direction === "in";
      const exchange = inward ? flow.receiverGroup : flow.senderGroup;
      const elsewhere = inward ? flow.senderGroup : flow.receiverGroup;
      if (!isExchange(exchange) || exchange === elsewhere) return;
      if (!isExchange(elsewhere)) addAmounts(cells, ALL, flow);
      addAmounts(cells, selectorOfExchange(exchange), flow);
    },
  };
}

const isContract = (group: number) => group === CONTRACT;

export const FLOW_FAMILIES = {
  /** Transfers by the sender's cohort and side. */
  spent: {
    selectors: SET_A,
    width: SIDES * SPENT_SIDE_WIDTH,
    add(cells, flow) {
      if (flow.kind !== "transfer") return;
      const side = SPENT_SIDE_WIDTH * sidePart(flow.sender);
      addSpent(cells, TOTAL, flow, side);
      if (flow.senderGroup !== USER) return;
      addSpent(cells, USERS, flow, side);
      addSpent(cells, FIRST_OF_A + valuePart(flow.sender), flow, side);
      addSpent(cells, FIRST_OF_A + balancePart(flow.sender), flow, side);
      const age = agePart(flow.sender);
      if (age >= 0) addSpent(cells, FIRST_OF_A + age, flow, side);
    },
  },
  /** Number of transfers by dollar value. */
  transfers: {
    selectors: TRANSFER_SAMPLES,
    width: 1,
    add(cells, flow) {
      if (flow.kind !== "transfer") return;
      cells.values[cells.touch(ALL)] += 1;
      let sample = 1;
      while (sample < SAMPLE_EDGES_USD.length && flow.usd >= SAMPLE_EDGES_USD[sample]) sample++;
      cells.values[cells.touch(sample)] += 1;
    },
  },
  received: {
    selectors: SET_D,
    width: 2,
    add(cells, flow) {
      if (flow.receiverGroup === USER) addSubdivisions(cells, FIRST_OF_D, flow.receiver, flow);
    },
  },
  sent: {
    selectors: SET_D,
    width: 2,
    add(cells, flow) {
      if (flow.senderGroup === USER) addSubdivisions(cells, FIRST_OF_D, flow.sender, flow);
    },
  },
  toExchange: exchangeFlows("in"),
  fromExchange: exchangeFlows("out"),
  cohortToExchanges: counterparties(isExchange, "in"),
  exchangesToCohort: counterparties(isExchange, "out"),
  cohortToContracts: counterparties(isContract, "in"),
  contractsToCohort: counterparties(isContract, "out"),
} as const satisfies Record<string, FlowFamily>;

export type FlowFamilyName = keyof typeof FLOW_FAMILIES;

export const FLOW_FAMILY_NAMES = Object.keys(FLOW_FAMILIES) as FlowFamilyName[];
