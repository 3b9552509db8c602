/**
 * The formula of every metric over the sums that the engine keeps: each entry names its sums and how to read them.
 * Source: docs/methodology.md §6, §7 and §9.
 */

import {
  type BucketResolution,
  CALENDAR_RESOLUTIONS,
  type CalendarResolution,
  type MetricName,
  metricByName,
  type Resolution,
  resolutionsOf,
} from "../../data-schema/registry.ts";
import type { StateFamilyName } from "./closes/closes.ts";
import type { FlowFamilyName } from "./flow-sums.ts";

/** Part of every build's id. Raise it when a change makes the engine publish other bytes for the same input. */
export const ENGINE_VERSION = "7";

/**
 * Reads one selector's sums, `width` a bucket, into one value a bucket; NaN where a ratio has no value. All buckets at once:
 * a call for each takes three times as long.
 */
export type FlowFormula = (sums: Float64Array, width: number, values: Float64Array) => void;
/** What state metrics may need beside the numbers of a close. */
interface CloseDay {
  /** USD per token. */
  price: number;
  /** `coin_days_destroyed` of all days so far, added up. */
  destroyed: number;
}
/** Reads one selector's numbers of a family (closes/) at `c[at…]`. */
export type StateFormula = (c: Float64Array, at: number, day: CloseDay) => number;

const ratio = (numerator: number, denominator: number) => (denominator === 0 ? Number.NaN : numerator / denominator);

const sumAt =
  (index: number): FlowFormula =>
  (sums, width, values) => {
    for (let bucket = 0, at = index; bucket < values.length; bucket++, at += width) values[bucket] = sums[at]!;
  };

const quotient =
  ([numerator, denominator]: readonly [number, number]): FlowFormula =>
  (sums, width, values) => {
    for (let bucket = 0, at = 0; bucket < values.length; bucket++, at += width) {
      values[bucket] = ratio(sums[at + numerator]!, sums[at + denominator]!);
    }
  };

const difference =
  (minuend: number, subtrahend: number): FlowFormula =>
  (sums, width, values) => {
    for (let bucket = 0, at = 0; bucket < values.length; bucket++, at += width) {
      values[bucket] = sums[at + minuend]! - sums[at + subtrahend]!;
    }
  };

// Where the sums of the flow families (flow-sums.ts) are: tokens or a count; USD at the price of the event, or of `destroyed`
// token-days; of `spent` USD at cost.
const [AMOUNT, USD, COST] = [0, 1, 2];
const TOKEN_DAYS = USD;
const [amount, usd] = [sumAt(AMOUNT), sumAt(USD)];

/** The numerator and the denominator of each flow that is a ratio. */
const FLOW_RATIOS = {
  sopr: [USD, COST],
  sopr_profit: [USD, COST],
  sopr_loss: [USD, COST],
  asopr: [USD, COST],
  moved_coins_realised_price: [COST, AMOUNT],
  dormancy: [TOKEN_DAYS, AMOUNT],
} as const satisfies Partial<Record<MetricName, readonly [number, number]>>;

const FIRSTS = { hour: sumAt(0), day: sumAt(1), week: sumAt(2), month: sumAt(3) } as const satisfies Record<
  BucketResolution,
  FlowFormula
>;

/** The metrics of the registry that count anew in each bucket: what they count, by its resolution. */
const COUNTED_ANEW: Partial<Record<MetricName, Record<BucketResolution, FlowFormula>>> = {
  active_addresses: FIRSTS,
  active_senders: FIRSTS,
  active_receivers: FIRSTS,
  cex_depositors: FIRSTS,
  deposit_addresses: FIRSTS,
};

/** What days add to their week and month, for the metrics of which that is not their own value. */
export const DAY_ADDENDS: ReadonlyMap<MetricName, readonly FlowFormula[]> = new Map<MetricName, readonly FlowFormula[]>(
  [
    ...Object.entries(FLOW_RATIOS).map(([name, parts]) => [name, parts.map(sumAt)] as const),
    ...Object.entries(COUNTED_ANEW).map(
      ([name, counts]) => [name, CALENDAR_RESOLUTIONS.map((resolution) => counts[resolution])] as const,
    ),
  ].map(([name, addends]) => [name as MetricName, addends]),
);

/** A metric's value in a week or month. @param sums of what its days add, or of its own values */
export function calendarValue(name: MetricName, resolution: CalendarResolution, sums: readonly number[]): number {
  if (metricByName(name).shape === "ratio") return ratio(sums[0]!, sums[1]!);
  return sums[COUNTED_ANEW[name] ? CALENDAR_RESOLUTIONS.indexOf(resolution) : 0]!;
}

/** For each flow, the sums that it reads, and how, in hours, days and blocks. */
export const FLOW_FORMULAS = {
  sopr: ["spent", quotient(FLOW_RATIOS.sopr)],
  sopr_profit: ["spentInProfit", quotient(FLOW_RATIOS.sopr_profit)],
  sopr_loss: ["spentAtLoss", quotient(FLOW_RATIOS.sopr_loss)],
  asopr: ["spentAged", quotient(FLOW_RATIOS.asopr)],
  realised_profit: ["spentInProfit", difference(USD, COST)],
  realised_loss: ["spentAtLoss", difference(COST, USD)],
  realised_profit_asset: ["spentInProfit", amount],
  realised_loss_asset: ["spentAtLoss", amount],
  volume: ["spent", amount],
  volume_dollar: ["spent", usd],
  moved_coins_realised_price: ["spent", quotient(FLOW_RATIOS.moved_coins_realised_price)],
  moved_coins_cost_basis: ["spent", sumAt(COST)],
  coin_days_destroyed: ["destroyed", sumAt(TOKEN_DAYS)],
  dormancy: ["destroyed", quotient(FLOW_RATIOS.dormancy)],
  num_transfers: ["transfers", amount],
  active_addresses: ["active", sumAt(0)],
  active_senders: ["activeSenders", sumAt(0)],
  active_receivers: ["activeReceivers", sumAt(0)],
  cex_depositors: ["depositors", sumAt(1)],
  deposit_addresses: ["depositAddresses", sumAt(1)],
  new_addresses: ["appeared", amount],
  addresses_funded: ["funded", amount],
  addresses_emptied: ["emptied", amount],
  minted: ["minted", amount],
  minted_dollar: ["minted", usd],
  burned: ["burned", amount],
  burned_dollar: ["burned", usd],
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

/** Some transfers: whole tokens, and USD per token. */
export interface Moved {
  tokens: Float64Array;
  price: Float64Array;
}

/** What the medians of a bucket's transfers are of. */
export const MEDIANS = {
  median_transfer: ({ tokens }) => tokens,
  median_transfer_dollar: ({ tokens, price }) => tokens.map((x, i) => x * price[i]!),
} as const satisfies Partial<Record<MetricName, (moved: Moved) => Float64Array>>;

export type FlowMetricName = keyof typeof FLOW_FORMULAS;

export const FLOW_METRIC_NAMES = Object.keys(FLOW_FORMULAS) as FlowMetricName[];

/** The flows of a resolution. */
export const flowsOf = (resolution: Resolution): FlowMetricName[] =>
  FLOW_METRIC_NAMES.filter((name) => resolutionsOf(metricByName(name)).includes(resolution));

/** The flows of blocks. */
export const BLOCK_METRIC_NAMES = flowsOf("block");

/** How a flow reads its sums. */
export const formulaAt = (name: FlowMetricName, resolution: Resolution): FlowFormula =>
  (resolution !== "block" && COUNTED_ANEW[name]?.[resolution]) || FLOW_FORMULAS[name][1];

const number =
  (index: number) =>
  (c: Float64Array, at: number): number =>
    c[at + index]!;

// A cohort's holdings (closes/holdings.ts): tokens, cost and addresses at break-even, in profit and in loss.
const [evenHeld, evenCost, evenHolders] = [number(0), number(1), number(2)];
const [profitHeld, profitCost, profitHolders] = [number(3), number(4), number(5)];
const [lossHeld, lossCost, lossHolders] = [number(6), number(7), number(8)];
const held = (c: Float64Array, at: number) => evenHeld(c, at) + profitHeld(c, at) + lossHeld(c, at);
const heldCost = (c: Float64Array, at: number) => evenCost(c, at) + profitCost(c, at) + lossCost(c, at);
const heldUsd: StateFormula = (c, at, { price }) => held(c, at) * price;

// A cohort's ages (closes/ages.ts).
const coinDaysHeld = number(0);

const reserve = number(0);

export const STATE_FORMULAS = {
  unrealised_profit: ["cohorts", (c, at, { price }) => profitHeld(c, at) * price - profitCost(c, at)],
  unrealised_loss: ["cohorts", (c, at, { price }) => lossCost(c, at) - lossHeld(c, at) * price],
  supply_profit: ["cohorts", profitHeld],
  supply_loss: ["cohorts", lossHeld],
  num_addresses_profit: ["cohorts", profitHolders],
  num_addresses_loss: ["cohorts", lossHolders],
  supply: ["cohorts", held],
  market_cap: ["cohorts", heldUsd],
  realised_price: ["cohorts", (c, at) => ratio(heldCost(c, at), held(c, at))],
  realised_cap: ["cohorts", heldCost],
  num_addresses: ["cohorts", (c, at) => evenHolders(c, at) + profitHolders(c, at) + lossHolders(c, at)],
  coin_days_held: ["ages", coinDaysHeld],
  mean_age: ["ages", number(1)],
  mean_dollar_age: ["ages", number(2)],
  liveliness: ["ages", (c, at, { destroyed }) => ratio(destroyed, destroyed + coinDaysHeld(c, at))],
  supply_top_10: ["largest", number(0)],
  supply_top_100: ["largest", number(1)],
  supply_top_1000: ["largest", number(2)],
  herfindahl: ["squares", number(0)],
  active_addresses_7d: ["recent", number(1)],
  active_addresses_30d: ["recent", number(0)],
  cex_reserve: ["reserves", reserve],
  cex_reserve_dollar: ["reserves", (c, at, { price }) => reserve(c, at) * price],
  sc_volume_locked: ["contracts", held],
  sc_volume_locked_dollar: ["contracts", heldUsd],
} as const satisfies Partial<Record<MetricName, readonly [StateFamilyName, StateFormula]>>;
