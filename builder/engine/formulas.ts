/**
 * The formula of every metric, over the sums that the engine keeps. Each entry names the sums it reads and how.
 * Source: methodology §6 and §7.
 */

import type { MetricName } from "../../data-schema/metrics.ts";
import type { FlowFamilyName } from "./flow-sums.ts";

/** Reads one selector's sums at `c[at…]`; NaN where a ratio has no value. */
export type FlowFormula = (c: Float64Array, at: number) => number;
/** Reads one selector's holdings at `c[at…]`, with the close price in USD per token. */
export type StateFormula = (c: Float64Array, at: number, price: number) => number;

const ratio = (numerator: number, denominator: number) => (denominator === 0 ? Number.NaN : numerator / denominator);

const first: FlowFormula = (c, at) => c[at];
const second: FlowFormula = (c, at) => c[at + 1];
// Sums of the `spent` families (flow-sums.ts): tokens, dollars received, dollars once paid.
const third: FlowFormula = (c, at) => c[at + 2];
const receivedToPaid: FlowFormula = (c, at) => ratio(c[at + 1], c[at + 2]);

export const FLOW_FORMULAS = {
  sopr: ["spent", receivedToPaid],
  sopr_profit: ["spentInProfit", receivedToPaid],
  sopr_loss: ["spentAtLoss", receivedToPaid],
  realised_profit: ["spentInProfit", (c, at) => c[at + 1] - c[at + 2]],
  realised_loss: ["spentAtLoss", (c, at) => c[at + 2] - c[at + 1]],
  realised_profit_asset: ["spentInProfit", first],
  realised_loss_asset: ["spentAtLoss", first],
  volume: ["spent", first],
  volume_dollar: ["spent", second],
  moved_coins_realised_price: ["spent", (c, at) => ratio(c[at + 2], c[at])],
  moved_coins_cost_basis: ["spent", third],
  num_transfers: ["transfers", first],
  inflow_cohort: ["received", first],
  inflow_cohort_dollar: ["received", second],
  outflow_cohort: ["sent", first],
  outflow_cohort_dollar: ["sent", second],
  cex_inflow: ["toExchange", first],
  cex_inflow_dollar: ["toExchange", second],
  cex_outflow: ["fromExchange", first],
  cex_outflow_dollar: ["fromExchange", second],
  cex_inflow_cohort: ["cohortToExchanges", first],
  cex_inflow_dollar_cohort: ["cohortToExchanges", second],
  cex_outflow_cohort: ["exchangesToCohort", first],
  cex_outflow_dollar_cohort: ["exchangesToCohort", second],
  sc_inflow: ["cohortToContracts", first],
  sc_inflow_dollat: ["cohortToContracts", second],
  sc_outflow: ["contractsToCohort", first],
  sc_outflow_dollar: ["contractsToCohort", second],
} as const satisfies Partial<Record<MetricName, readonly [FlowFamilyName, FlowFormula]>>;

export type FlowMetricName = keyof typeof FLOW_FORMULAS;

export const FLOW_METRIC_NAMES = Object.keys(FLOW_FORMULAS) as FlowMetricName[];

// Holdings of a cohort (holdings.ts): per side tokens, dollars once paid, addresses.
const evenHeld = 0;
const evenPaid = 1;
const evenHolders = 2;
const profitHeld = 3;
const profitPaid = 4;
const profitHolders = 5;
const lossHeld = 6;
const lossPaid = 7;
const lossHolders = 8;
const held: FlowFormula = (c, at) => c[at + evenHeld] + c[at + profitHeld] + c[at + lossHeld];
const paid: FlowFormula = (c, at) => c[at + evenPaid] + c[at + profitPaid] + c[at + lossPaid];
const times: StateFormula = (c, at, price) => c[at] * price;

/** Where the holdings that a state metric reads lie in a day of holdings.ts: per selector, or those of one cohort. */
export type HoldingsFamilyName = "cohorts" | "reserves" | "contracts";

export const STATE_FORMULAS = {
  unrealised_profit: ["cohorts", (c, at, price) => c[at + profitHeld] * price - c[at + profitPaid]],
  unrealised_loss: ["cohorts", (c, at, price) => c[at + lossPaid] - c[at + lossHeld] * price],
  supply_profit: ["cohorts", (c, at) => c[at + profitHeld]],
  supply_loss: ["cohorts", (c, at) => c[at + lossHeld]],
  num_addresses_profit: ["cohorts", (c, at) => c[at + profitHolders]],
  num_addresses_loss: ["cohorts", (c, at) => c[at + lossHolders]],
  supply: ["cohorts", held],
  market_cap: ["cohorts", (c, at, price) => held(c, at) * price],
  realised_price: ["cohorts", (c, at) => ratio(paid(c, at), held(c, at))],
  realised_cap: ["cohorts", paid],
  num_addresses: ["cohorts", (c, at) => c[at + evenHolders] + c[at + profitHolders] + c[at + lossHolders]],
  cex_reserve: ["reserves", first],
  cex_reserve_dollar: ["reserves", times],
  sc_volume_locked: ["contracts", held],
  sc_volume_locked_dollar: ["contracts", (c, at, price) => held(c, at) * price],
} as const satisfies Partial<Record<MetricName, readonly [HoldingsFamilyName, StateFormula]>>;
