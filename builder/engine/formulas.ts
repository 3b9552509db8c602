/**
 * The formula of every metric over the sums that the engine keeps: each entry names its sums and how to read them.
 * Source: docs/methodology.md §6 and §7.
 */

import type { MetricName } from "../../data-schema/metrics.ts";
import type { StateFamilyName } from "./closes.ts";
import type { FlowFamilyName } from "./flow-sums.ts";

/** Part of every build's id. Raise it when a change makes the engine publish other bytes for the same input. */
export const ENGINE_VERSION = "3";

/** Reads one selector's sums at `c[at…]`; NaN where a ratio has no value. */
export type FlowFormula = (c: Float64Array, at: number) => number;
/** Reads one selector's numbers of a family (closes.ts) at `c[at…]`, with the close price in USD per token. */
export type StateFormula = (c: Float64Array, at: number, price: number) => number;

export const ratio = (numerator: number, denominator: number) =>
  denominator === 0 ? Number.NaN : numerator / denominator;

// Sums of the flow families (flow-sums.ts): tokens or a count, USD at the price of the event and, of `spent`, at cost.
const amount: FlowFormula = (c, at) => c[at]!;
const usd: FlowFormula = (c, at) => c[at + 1]!;
const cost: FlowFormula = (c, at) => c[at + 2]!;

/** The numerator and the denominator of each flow that is a ratio. */
export const FLOW_RATIOS = {
  sopr: [usd, cost],
  sopr_profit: [usd, cost],
  sopr_loss: [usd, cost],
  moved_coins_realised_price: [cost, amount],
} as const satisfies Partial<Record<MetricName, readonly [FlowFormula, FlowFormula]>>;

export type FlowRatioName = keyof typeof FLOW_RATIOS;

export const FLOW_RATIO_NAMES = Object.keys(FLOW_RATIOS) as FlowRatioName[];

const quotient =
  ([numerator, denominator]: readonly [FlowFormula, FlowFormula]): FlowFormula =>
  (c, at) =>
    ratio(numerator(c, at), denominator(c, at));

export const FLOW_FORMULAS = {
  sopr: ["spent", quotient(FLOW_RATIOS.sopr)],
  sopr_profit: ["spentInProfit", quotient(FLOW_RATIOS.sopr_profit)],
  sopr_loss: ["spentAtLoss", quotient(FLOW_RATIOS.sopr_loss)],
  realised_profit: ["spentInProfit", (c, at) => usd(c, at) - cost(c, at)],
  realised_loss: ["spentAtLoss", (c, at) => cost(c, at) - usd(c, at)],
  realised_profit_asset: ["spentInProfit", amount],
  realised_loss_asset: ["spentAtLoss", amount],
  volume: ["spent", amount],
  volume_dollar: ["spent", usd],
  moved_coins_realised_price: ["spent", quotient(FLOW_RATIOS.moved_coins_realised_price)],
  moved_coins_cost_basis: ["spent", cost],
  num_transfers: ["transfers", amount],
  inflow_cohort: ["received", amount],
  inflow_cohort_dollar: ["received", usd],
  outflow_cohort: ["sent", amount],
  outflow_cohort_dollar: ["sent", usd],
  cex_inflow: ["toExchange", amount],
  cex_inflow_dollar: ["toExchange", usd],
  cex_outflow: ["fromExchange", amount],
  cex_outflow_dollar: ["fromExchange", usd],
  cex_inflow_cohort: ["cohortToExchanges", amount],
  cex_inflow_dollar_cohort: ["cohortToExchanges", usd],
  cex_outflow_cohort: ["exchangesToCohort", amount],
  cex_outflow_dollar_cohort: ["exchangesToCohort", usd],
  sc_inflow: ["cohortToContracts", amount],
  sc_inflow_dollat: ["cohortToContracts", usd],
  sc_outflow: ["contractsToCohort", amount],
  sc_outflow_dollar: ["contractsToCohort", usd],
} as const satisfies Partial<Record<MetricName, readonly [FlowFamilyName, FlowFormula]>>;

export type FlowMetricName = keyof typeof FLOW_FORMULAS;

export const FLOW_METRIC_NAMES = Object.keys(FLOW_FORMULAS) as FlowMetricName[];

/** One of a cohort's holdings (holdings.ts): tokens, cost and addresses at break-even, in profit and in loss. */
const holding =
  (index: number): FlowFormula =>
  (c, at) =>
    c[at + index]!;
const [evenHeld, evenCost, evenHolders] = [holding(0), holding(1), holding(2)];
const [profitHeld, profitCost, profitHolders] = [holding(3), holding(4), holding(5)];
const [lossHeld, lossCost, lossHolders] = [holding(6), holding(7), holding(8)];
const held: FlowFormula = (c, at) => evenHeld(c, at) + profitHeld(c, at) + lossHeld(c, at);
const heldCost: FlowFormula = (c, at) => evenCost(c, at) + profitCost(c, at) + lossCost(c, at);
const heldUsd: StateFormula = (c, at, price) => held(c, at) * price;

export const STATE_FORMULAS = {
  unrealised_profit: ["cohorts", (c, at, price) => profitHeld(c, at) * price - profitCost(c, at)],
  unrealised_loss: ["cohorts", (c, at, price) => lossCost(c, at) - lossHeld(c, at) * price],
  supply_profit: ["cohorts", profitHeld],
  supply_loss: ["cohorts", lossHeld],
  num_addresses_profit: ["cohorts", profitHolders],
  num_addresses_loss: ["cohorts", lossHolders],
  supply: ["cohorts", held],
  market_cap: ["cohorts", heldUsd],
  realised_price: ["cohorts", (c, at) => ratio(heldCost(c, at), held(c, at))],
  realised_cap: ["cohorts", heldCost],
  num_addresses: ["cohorts", (c, at) => evenHolders(c, at) + profitHolders(c, at) + lossHolders(c, at)],
  cex_reserve: ["reserves", amount],
  cex_reserve_dollar: ["reserves", (c, at, price) => amount(c, at) * price],
  sc_volume_locked: ["contracts", held],
  sc_volume_locked_dollar: ["contracts", heldUsd],
} as const satisfies Partial<Record<MetricName, readonly [StateFamilyName, StateFormula]>>;
