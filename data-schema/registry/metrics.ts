/**
 * The metric registry, the only list of metrics: validation, the builder's output, object keys and the documentation
 * all use it. To add a metric, add an entry here and its formula in builder/engine/formulas.ts.
 *
 * Source: docs/methodology.md §6 and §7.
 */

import {
  BASE_COHORTS,
  COHORT_FAMILIES,
  type Family,
  SET_A,
  SET_B,
  SET_C,
  SET_D,
  SET_E,
  SET_V2,
  V3_COHORT_FAMILIES,
  withTerms,
} from "./cohorts.ts";
import { COST_PERCENTILES, percentileMetric } from "./distributions.ts";
import { EXCHANGE_FAMILIES, EXCHANGE_SELECTORS } from "./exchanges.ts";
import { type LotMethod, lotCohortsOf, lotSelectors, lotSeries } from "./lots.ts";
import { AROUND_ONE, type NaturalLook, PLAIN, SUM_OF_BUCKET } from "./natural-looks.ts";
import { haveOwnCohorts } from "./own-cohorts.ts";
import { isCalendar, RESOLUTIONS, type Resolution, V1_RESOLUTIONS, type V1Resolution } from "./resolutions.ts";
import { SAMPLE_FAMILIES, TRANSFER_SAMPLES } from "./samples.ts";

/** The versions whose metrics are frozen. v3 serves every metric of the registry. */
export const VERSIONS = ["v1", "v2"] as const;
export type Version = (typeof VERSIONS)[number];

/** The groups of metrics of v1 and v2 and their titles, in the order in which they are shown. */
export const V1_GROUPS = {
  macro: "Supply and valuation",
  realised: "Realised profit and loss",
  transactions: "Transactions",
  unrealised: "Unrealised profit and loss",
  exchanges: "Exchanges",
  contracts: "Smart contracts",
} as const;

/** All groups of metrics. */
export const METRIC_GROUPS = { ...V1_GROUPS, addresses: "Addresses", age: "Coin age" } as const;

/** The meaning of the signs in formulas of v1 and v2. */
export const V1_SIGNS = {
  Σ: "sum over events or addresses",
  x: "tokens that an event moves",
  P: "price, USD per token",
  a: "average purchase price, USD per token",
  n: "balance of an address in tokens",
  q: "balance of an address in raw units",
} as const;

/** The meaning of all signs in formulas. */
export const SIGNS = {
  ...V1_SIGNS,
  t: "time of an event, in days",
  τ: "time of the close, in days",
  h: "average purchase time of an address, in days",
} as const;

/** The parameter that selects one series of a metric. */
export interface Selector {
  parameter: "c" | "t";
  title: string;
  values: readonly string[];
  default: string;
  /** The values by family; families may hold more than `values`. */
  families: readonly Family[];
  /** Whether what counts for one value may count for another, too: a transfer between two exchanges is a flow of both. */
  overlaps?: true;
}

/** `usd_per_token` is a price; a `ratio` has no unit. */
export const UNITS = ["token", "usd", "usd_per_token", "ratio", "count", "token_days", "days"] as const;
export type MetricUnit = (typeof UNITS)[number];

export interface Metric {
  /** Last path segment. */
  name: string;
  title: string;
  group: keyof typeof METRIC_GROUPS;
  unit: MetricUnit;
  description: string;
  /** The formula of docs/methodology.md, in words and SIGNS. */
  formula: string;
  /** `flow`: over the events of a bucket. `state`: of the holders, at its close. `price`: at its close. */
  kind: "flow" | "state" | "price";
  /** A sum is 0 where nothing happened, and its zeros are not stored. A ratio has no point where its denominator is 0. */
  shape: "sum" | "ratio";
  look: NaturalLook;
  /** Whether each bucket counts anew, so that buckets do not add up to longer ones. */
  countsAnew?: true;
  /** The shortest bucket of a flow that has none of hours and blocks. */
  shortest?: "day";
  /** The engine with which a metric of v3 alone came, if that was after 4: builds of earlier engines lack it. */
  cameWith?: number;
  /** The selector in each version: absent if the version lacks the metric, null if the metric has only one series. */
  selectors: { v1?: Selector | null; v2?: Selector | null; v3: Selector | null };
}

/** The selector that is stored for a metric with only one series. */
export const SINGLE_SERIES = "total";

const cohort = { parameter: "c", title: "Address cohort", families: COHORT_FAMILIES } as const;
const setA: Selector = { ...cohort, values: SET_A, default: "total" };
const setB: Selector = { ...cohort, values: SET_B, default: "total" };
const setC: Selector = { ...cohort, values: SET_C, default: "total" };
const setD: Selector = { ...cohort, values: SET_D, default: "$10M+" };
const setE: Selector = { ...cohort, values: SET_E, default: "total" };
const byGroup: Selector = { ...cohort, values: BASE_COHORTS, default: "total" };
const v2Ranges: Selector = { ...cohort, values: SET_V2, default: "total" };
const samples: Selector = {
  parameter: "t",
  title: "Transfer sample",
  values: TRANSFER_SAMPLES,
  default: "all",
  families: SAMPLE_FAMILIES,
};
const exchange: Selector = {
  parameter: "c",
  title: "Exchange",
  values: EXCHANGE_SELECTORS,
  default: "all",
  families: EXCHANGE_FAMILIES,
};
const exchangeFlows: Selector = { ...exchange, overlaps: true };

/** A selector of v1 as v3 has it: cohorts are divided by term, too. */
const inV3 = (selector: Selector): Selector =>
  selector.families === COHORT_FAMILIES
    ? { ...selector, values: withTerms(selector.values), families: V3_COHORT_FAMILIES }
    : selector;
const termsOfA = inV3(setA);
const termsOfC = inV3(setC);

/** An entry of the registry. Without `v3`, the metric has the selector of v1 there, with terms. */
type Entry<Name> = Omit<Metric, "name" | "group" | "kind" | "shape" | "look" | "selectors"> & {
  name: Name;
  shape?: Metric["shape"];
  look?: NaturalLook;
  selectors: Partial<Metric["selectors"]>;
};

/** Metrics of one group and kind. Each is a sum, and looks like its kind, unless it says otherwise. */
function section<const Name extends string>(
  group: Metric["group"],
  kind: Metric["kind"],
  metrics: readonly Entry<Name>[],
): (Metric & { name: Name })[] {
  return metrics.map(({ selectors, ...metric }) => ({
    shape: "sum",
    look: kind === "flow" && metric.shape !== "ratio" ? SUM_OF_BUCKET : PLAIN,
    ...metric,
    group,
    kind,
    selectors: { v3: selectors.v1 ? inV3(selectors.v1) : null, ...selectors },
  }));
}

export const METRICS = [
  ...section("realised", "flow", [
    {
      name: "sopr",
      title: "SOPR",
      unit: "ratio",
      description:
        "Spent output profit ratio: dollars received for the coins that moved, divided by dollars once paid for them. Below 1, coins moved at a loss on average.",
      formula: "Σ x·P / Σ x·a over transfers",
      shape: "ratio",
      look: AROUND_ONE,
      selectors: { v1: setA, v2: null },
    },
    {
      name: "sopr_profit",
      title: "SOPR in profit",
      unit: "ratio",
      description: "SOPR of the coins that moved at a profit.",
      formula: "Σ x·P / Σ x·a over transfers in profit",
      shape: "ratio",
      look: AROUND_ONE,
      selectors: { v1: setB, v2: null },
    },
    {
      name: "sopr_loss",
      title: "SOPR in loss",
      unit: "ratio",
      description: "SOPR of the coins that moved at a loss.",
      formula: "Σ x·P / Σ x·a over transfers in loss",
      shape: "ratio",
      look: AROUND_ONE,
      selectors: { v1: setB, v2: null },
    },
    {
      name: "asopr",
      title: "Adjusted SOPR",
      unit: "ratio",
      description: "SOPR of the coins that had been held for an hour or more, on average of their sender.",
      formula: "Σ x·P / Σ x·a over transfers whose sender's age is an hour or more",
      shape: "ratio",
      look: AROUND_ONE,
      selectors: { v3: termsOfA },
    },
    {
      name: "realised_profit",
      title: "Realised profit",
      unit: "usd",
      description: "Dollar profit of the coins that moved above their purchase price.",
      formula: "Σ x·(P − a) over transfers in profit",
      selectors: { v1: setA, v2: null },
    },
    {
      name: "realised_loss",
      title: "Realised loss",
      unit: "usd",
      description: "Dollar loss of the coins that moved below their purchase price, as a positive number.",
      formula: "Σ x·(a − P) over transfers in loss",
      selectors: { v1: setA, v2: null },
    },
    {
      name: "realised_profit_asset",
      title: "Coins moved in profit",
      unit: "token",
      description: "Coins that moved above their purchase price.",
      formula: "Σ x over transfers in profit",
      selectors: { v1: setA },
    },
    {
      name: "realised_loss_asset",
      title: "Coins moved in loss",
      unit: "token",
      description: "Coins that moved below their purchase price.",
      formula: "Σ x over transfers in loss",
      selectors: { v1: setA },
    },
  ]),
  ...section("transactions", "flow", [
    {
      name: "volume",
      title: "On-chain volume",
      unit: "token",
      description: "Coins transferred between addresses.",
      formula: "Σ x over transfers",
      selectors: { v1: setA, v2: v2Ranges },
    },
    {
      name: "volume_dollar",
      title: "On-chain volume in dollars",
      unit: "usd",
      description: "Dollar value of the coins transferred between addresses.",
      formula: "Σ x·P over transfers",
      selectors: { v1: setA, v2: v2Ranges },
    },
    {
      name: "num_transfers",
      title: "Number of transfers",
      unit: "count",
      description: "Transfers whose dollar value falls into the sample.",
      formula: "number of transfers with x·P in the sample",
      selectors: { v1: samples },
    },
    {
      name: "median_transfer",
      title: "Median transfer",
      unit: "token",
      description:
        "Coins of the transfer in the middle, if all of the day, week or month are put in order: half of them moved less.",
      formula: "median of x over transfers",
      shape: "ratio",
      shortest: "day",
      cameWith: 6,
      selectors: { v3: null },
    },
    {
      name: "median_transfer_dollar",
      title: "Median transfer in dollars",
      unit: "usd",
      description:
        "Dollar value of the transfer in the middle, if all of the day, week or month are put in order: half of them were worth less.",
      formula: "median of x·P over transfers",
      shape: "ratio",
      shortest: "day",
      cameWith: 6,
      selectors: { v3: null },
    },
    {
      name: "minted",
      title: "Minted",
      unit: "token",
      description: "Coins that were created.",
      formula: "Σ x over mints",
      selectors: { v3: null },
    },
    {
      name: "minted_dollar",
      title: "Minted, in dollars",
      unit: "usd",
      description: "Dollar value of the coins that were created.",
      formula: "Σ x·P over mints",
      selectors: { v3: null },
    },
    {
      name: "burned",
      title: "Burned",
      unit: "token",
      description: "Coins that were destroyed.",
      formula: "Σ x over burns",
      selectors: { v3: null },
    },
    {
      name: "burned_dollar",
      title: "Burned, in dollars",
      unit: "usd",
      description: "Dollar value of the coins that were destroyed.",
      formula: "Σ x·P over burns",
      selectors: { v3: null },
    },
    {
      name: "inflow_cohort",
      title: "Inflow to a cohort",
      unit: "token",
      description: "Coins received by the addresses of the cohort, mints included.",
      formula: "Σ x over transfers and mints to the cohort",
      selectors: { v1: setD },
    },
    {
      name: "inflow_cohort_dollar",
      title: "Inflow to a cohort in dollars",
      unit: "usd",
      description: "Dollar value of the coins received by the addresses of the cohort, mints included.",
      formula: "Σ x·P over transfers and mints to the cohort",
      selectors: { v1: setD },
    },
    {
      name: "outflow_cohort",
      title: "Outflow from a cohort",
      unit: "token",
      description: "Coins sent by the addresses of the cohort, burns included.",
      formula: "Σ x over transfers and burns from the cohort",
      selectors: { v1: setD },
    },
    {
      name: "outflow_cohort_dollar",
      title: "Outflow from a cohort in dollars",
      unit: "usd",
      description: "Dollar value of the coins sent by the addresses of the cohort, burns included.",
      formula: "Σ x·P over transfers and burns from the cohort",
      selectors: { v1: setD },
    },
    {
      name: "moved_coins_realised_price",
      title: "Realised price of moved coins",
      unit: "usd_per_token",
      description: "Average purchase price of the coins that moved.",
      formula: "Σ x·a / Σ x over transfers",
      shape: "ratio",
      selectors: { v1: setA },
    },
    {
      name: "moved_coins_cost_basis",
      title: "Cost basis of moved coins",
      unit: "usd",
      description: "Dollars once paid for the coins that moved.",
      formula: "Σ x·a over transfers",
      selectors: { v1: setA },
    },
  ]),
  ...section("addresses", "flow", [
    {
      name: "active_addresses",
      title: "Active addresses",
      unit: "count",
      description:
        "Different addresses that sent or received the coin. Each counts once in an hour, a day, a week or a month: a week has fewer than its days together.",
      formula: "number of addresses that sent or received, each in its cohort at its first event of the bucket",
      countsAnew: true,
      selectors: { v3: termsOfC },
    },
    {
      name: "active_senders",
      title: "Active senders",
      unit: "count",
      description:
        "Different addresses that sent the coin, or burned it. Each counts once in an hour, a day, a week or a month.",
      formula: "number of addresses that sent, each in its cohort at its first send of the bucket",
      countsAnew: true,
      cameWith: 6,
      selectors: { v3: termsOfC },
    },
    {
      name: "active_receivers",
      title: "Active receivers",
      unit: "count",
      description:
        "Different addresses that received the coin, mints included. Each counts once in an hour, a day, a week or a month.",
      formula: "number of addresses that received, each in its cohort at its first receipt of the bucket",
      countsAnew: true,
      cameWith: 6,
      selectors: { v3: termsOfC },
    },
    {
      name: "new_addresses",
      title: "New addresses",
      unit: "count",
      description: "Addresses that received the coin for the first time ever.",
      formula: "number of addresses whose first event is in the bucket",
      selectors: { v3: termsOfC },
    },
    {
      name: "addresses_funded",
      title: "Addresses funded",
      unit: "count",
      description: "How often an address that held nothing received coins.",
      formula: "number of transfers and mints to addresses with q = 0",
      selectors: { v3: termsOfC },
    },
    {
      name: "addresses_emptied",
      title: "Addresses emptied",
      unit: "count",
      description: "How often an address sent all that it held.",
      formula: "number of transfers and burns that leave q = 0",
      selectors: { v3: termsOfC },
    },
  ]),
  ...section("addresses", "state", [
    {
      name: "active_addresses_7d",
      title: "Active addresses, 7 days",
      unit: "count",
      description:
        "Different addresses that sent or received the coin in the last seven days, whether they hold any or not. Unlike active addresses by week, there is a value for each day.",
      formula: "number of addresses whose last event is in the 7 days before τ",
      cameWith: 6,
      selectors: { v3: byGroup },
    },
    {
      name: "active_addresses_30d",
      title: "Active addresses, 30 days",
      unit: "count",
      description:
        "Different addresses that sent or received the coin in the last 30 days, whether they hold any or not.",
      formula: "number of addresses whose last event is in the 30 days before τ",
      cameWith: 6,
      selectors: { v3: byGroup },
    },
    {
      name: "supply_top_10",
      title: "Supply of the 10 largest holders",
      unit: "token",
      description: "Coins held by the ten addresses of the group that hold most.",
      formula: "Σ n over the 10 addresses with the largest q",
      selectors: { v3: setB },
    },
    {
      name: "supply_top_100",
      title: "Supply of the 100 largest holders",
      unit: "token",
      description: "Coins held by the hundred addresses of the group that hold most.",
      formula: "Σ n over the 100 addresses with the largest q",
      selectors: { v3: setB },
    },
    {
      name: "supply_top_1000",
      title: "Supply of the 1,000 largest holders",
      unit: "token",
      description: "Coins held by the thousand addresses of the group that hold most.",
      formula: "Σ n over the 1,000 addresses with the largest q",
      selectors: { v3: setB },
    },
    {
      name: "herfindahl",
      title: "Herfindahl index",
      unit: "ratio",
      description:
        "How unequally holders share the coins: 1 if one address has all, 1 divided by their number if all have the same.",
      formula: "Σ (n / Σ n)²",
      shape: "ratio",
      selectors: { v3: setB },
    },
  ]),
  ...section("age", "flow", [
    {
      name: "coin_days_destroyed",
      title: "Coin days destroyed",
      unit: "token_days",
      description: "Coins that moved or were burned, times the days for which they had been held.",
      formula: "Σ x·(t − h) over transfers and burns",
      selectors: { v3: termsOfA },
    },
    {
      name: "dormancy",
      title: "Dormancy",
      unit: "days",
      description: "How long the coins that moved or were burned had been held, on average.",
      formula: "Σ x·(t − h) / Σ x over transfers and burns",
      shape: "ratio",
      selectors: { v3: termsOfA },
    },
  ]),
  ...section("age", "state", [
    {
      name: "coin_days_held",
      title: "Coin days held",
      unit: "token_days",
      description: "Coins that exist, times the days for which they have been held.",
      formula: "Σ n·(τ − h)",
      selectors: { v3: termsOfC },
    },
    {
      name: "mean_age",
      title: "Mean coin age",
      unit: "days",
      description: "How long coins have been held, on average.",
      formula: "Σ n·(τ − h) / Σ n",
      shape: "ratio",
      selectors: { v3: termsOfC },
    },
    {
      name: "mean_dollar_age",
      title: "Mean dollar age",
      unit: "days",
      description: "How long the dollars that were paid for coins have been invested, on average.",
      formula: "Σ n·a·(τ − h) / Σ n·a",
      shape: "ratio",
      selectors: { v3: termsOfC },
    },
    {
      name: "liveliness",
      title: "Liveliness",
      unit: "ratio",
      description:
        "Coin days destroyed so far, as a share of all coin days ever made. It falls while holders keep their coins, and rises while long-held coins move.",
      formula: "D / (D + Σ n·(τ − h)), with D all Σ x·(t − h) so far",
      shape: "ratio",
      selectors: { v3: null },
    },
  ]),
  ...section("unrealised", "state", [
    {
      name: "unrealised_profit",
      title: "Unrealised profit",
      unit: "usd",
      description: "Profit that holders above their purchase price would realise if they sold all now.",
      formula: "Σ n·(P − a) over addresses in profit",
      selectors: { v1: setC },
    },
    {
      name: "unrealised_loss",
      title: "Unrealised loss",
      unit: "usd",
      description:
        "Loss that holders below their purchase price would realise if they sold all now, as a positive number.",
      formula: "Σ n·(a − P) over addresses in loss",
      selectors: { v1: setC },
    },
    {
      name: "supply_profit",
      title: "Supply in profit",
      unit: "token",
      description: "Coins held by addresses in profit.",
      formula: "Σ n over addresses in profit",
      selectors: { v1: setC },
    },
    {
      name: "supply_loss",
      title: "Supply in loss",
      unit: "token",
      description: "Coins held by addresses in loss.",
      formula: "Σ n over addresses in loss",
      selectors: { v1: setC },
    },
    {
      name: "num_addresses_profit",
      title: "Addresses in profit",
      unit: "count",
      description: "Addresses that hold the coin below its market price.",
      formula: "number of addresses in profit",
      selectors: { v1: setC },
    },
    {
      name: "num_addresses_loss",
      title: "Addresses in loss",
      unit: "count",
      description: "Addresses that hold the coin above its market price.",
      formula: "number of addresses in loss",
      selectors: { v1: setC },
    },
  ]),
  ...section("macro", "price", [
    {
      name: "price",
      title: "Price",
      unit: "usd_per_token",
      description: "Market price of the coin at the close. There is no point before the first price.",
      formula: "P",
      shape: "ratio",
      selectors: { v3: null },
    },
  ]),
  ...section("macro", "state", [
    {
      name: "supply",
      title: "Supply",
      unit: "token",
      description: "Coins that exist: minted less burned.",
      formula: "Σ n",
      selectors: { v1: setC, v2: null },
    },
    {
      name: "market_cap",
      title: "Market capitalisation",
      unit: "usd",
      description: "Dollar value of the supply at the market price.",
      formula: "P · Σ n",
      selectors: { v1: setC, v2: null },
    },
    {
      name: "realised_price",
      title: "Realised price",
      unit: "usd_per_token",
      description: "Average purchase price of all coins. Above the market price, most coins are held at a loss.",
      formula: "Σ n·a / Σ n",
      shape: "ratio",
      selectors: { v1: setC, v2: null },
    },
    {
      name: "realised_cap",
      title: "Realised capitalisation",
      unit: "usd",
      description: "Dollars once paid for all coins that exist.",
      formula: "Σ n·a",
      selectors: { v1: setC, v2: null },
    },
    {
      name: "num_addresses",
      title: "Number of addresses",
      unit: "count",
      description: "Addresses that hold the coin.",
      formula: "number of addresses with q ≠ 0",
      selectors: { v1: setC },
    },
  ]),
  ...section(
    "macro",
    "state",
    COST_PERCENTILES.map((percent) => ({
      name: percentileMetric(percent),
      title: percent === "50" ? "Median cost basis" : `Cost basis, ${Number(percent)}th percentile`,
      unit: "usd_per_token" as const,
      description: `The purchase price below which ${Number(percent)} % of the coins were bought, by the average of their address.`,
      formula: `the a up to which addresses have ${Number(percent)} % of Σ n, from low to high`,
      shape: "ratio" as const,
      cameWith: 6,
      selectors: { v3: setB },
    })),
  ),
  ...section("exchanges", "state", [
    {
      name: "cex_reserve",
      title: "Exchange reserve",
      unit: "token",
      description: "Coins held by the addresses of the exchange, or of all exchanges.",
      formula: "Σ n over the exchange's addresses",
      selectors: { v1: exchange },
    },
    {
      name: "cex_reserve_dollar",
      title: "Exchange reserve in dollars",
      unit: "usd",
      description: "Dollar value of the coins held by the addresses of the exchange, or of all exchanges.",
      formula: "Σ n·P over the exchange's addresses",
      selectors: { v1: exchange },
    },
  ]),
  ...section("exchanges", "flow", [
    {
      name: "cex_inflow",
      title: "Exchange inflow",
      unit: "token",
      description: "Coins sent or minted to the exchange, or to all exchanges, from outside.",
      formula: "Σ x to the exchange from elsewhere, mints included",
      selectors: { v1: exchangeFlows },
    },
    {
      name: "cex_inflow_dollar",
      title: "Exchange inflow in dollars",
      unit: "usd",
      description: "Dollar value of the coins sent or minted to the exchange, or to all exchanges, from outside.",
      formula: "Σ x·P to the exchange from elsewhere, mints included",
      selectors: { v1: exchangeFlows },
    },
    {
      name: "cex_outflow",
      title: "Exchange outflow",
      unit: "token",
      description: "Coins sent out or burned by the exchange, or by all exchanges.",
      formula: "Σ x from the exchange to elsewhere, burns included",
      selectors: { v1: exchangeFlows },
    },
    {
      name: "cex_outflow_dollar",
      title: "Exchange outflow in dollars",
      unit: "usd",
      description: "Dollar value of the coins sent out or burned by the exchange, or by all exchanges.",
      formula: "Σ x·P from the exchange to elsewhere, burns included",
      selectors: { v1: exchangeFlows },
    },
    {
      name: "cex_inflow_cohort",
      title: "Exchange inflow by cohort",
      unit: "token",
      description: "Coins that addresses outside exchanges, or the cohort among them, sent to exchanges.",
      formula: "Σ x over transfers from the cohort, outside exchanges, to exchanges",
      selectors: { v1: setE },
    },
    {
      name: "cex_inflow_dollar_cohort",
      title: "Exchange inflow by cohort in dollars",
      unit: "usd",
      description:
        "Dollar value of the coins that addresses outside exchanges, or the cohort among them, sent to exchanges.",
      formula: "Σ x·P over transfers from the cohort, outside exchanges, to exchanges",
      selectors: { v1: setE },
    },
    {
      name: "cex_outflow_cohort",
      title: "Exchange outflow by cohort",
      unit: "token",
      description: "Coins that exchanges sent to addresses outside exchanges, or to the cohort among them.",
      formula: "Σ x over transfers from exchanges to the cohort, outside exchanges",
      selectors: { v1: setE },
    },
    {
      name: "cex_outflow_dollar_cohort",
      title: "Exchange outflow by cohort in dollars",
      unit: "usd",
      description:
        "Dollar value of the coins that exchanges sent to addresses outside exchanges, or to the cohort among them.",
      formula: "Σ x·P over transfers from exchanges to the cohort, outside exchanges",
      selectors: { v1: setE },
    },
  ]),
  ...section("exchanges", "flow", [
    {
      name: "cex_depositors",
      title: "Exchange depositors",
      unit: "count",
      description:
        "Different addresses outside exchanges that sent coins to an exchange. Each counts once in a day, a week or a month.",
      formula: "number of addresses outside exchanges that sent to an exchange by a transfer",
      countsAnew: true,
      shortest: "day",
      cameWith: 5,
      selectors: { v3: null },
    },
    {
      name: "deposit_addresses",
      title: "Deposit addresses in use",
      unit: "count",
      description:
        "Different deposit addresses of exchanges that received coins. Each counts once in a day, a week or a month. 0 if the asset has no table of deposit addresses.",
      formula: "number of addresses of the table of deposit addresses that received",
      countsAnew: true,
      shortest: "day",
      cameWith: 5,
      selectors: { v3: null },
    },
  ]),
  ...section("contracts", "state", [
    {
      name: "sc_volume_locked",
      title: "Volume locked in smart contracts",
      unit: "token",
      description: "Coins held by smart contracts that are not exchanges.",
      formula: "Σ n over smart contracts",
      selectors: { v1: null },
    },
    {
      name: "sc_volume_locked_dollar",
      title: "Volume locked in smart contracts in dollars",
      unit: "usd",
      description: "Dollar value of the coins held by smart contracts that are not exchanges.",
      formula: "Σ n·P over smart contracts",
      selectors: { v1: null },
    },
  ]),
  ...section("contracts", "flow", [
    {
      name: "sc_inflow",
      title: "Smart contract inflow by cohort",
      unit: "token",
      description:
        "Coins that addresses other than smart contracts, or the cohort among them, sent to smart contracts.",
      formula: "Σ x over transfers from the cohort, outside contracts, to contracts",
      selectors: { v1: setE },
    },
    {
      // The spelling is part of the API, and so of its frozen contract.
      name: "sc_inflow_dollat",
      title: "Smart contract inflow by cohort in dollars",
      unit: "usd",
      description:
        "Dollar value of the coins that addresses other than smart contracts, or the cohort among them, sent to smart contracts.",
      formula: "Σ x·P over transfers from the cohort, outside contracts, to contracts",
      selectors: { v1: setE },
    },
    {
      name: "sc_outflow",
      title: "Smart contract outflow by cohort",
      unit: "token",
      description:
        "Coins that smart contracts sent to addresses other than smart contracts, or to the cohort among them.",
      formula: "Σ x over transfers from contracts to the cohort, outside contracts",
      selectors: { v1: setE },
    },
    {
      name: "sc_outflow_dollar",
      title: "Smart contract outflow by cohort in dollars",
      unit: "usd",
      description:
        "Dollar value of the coins that smart contracts sent to addresses other than smart contracts, or to the cohort among them.",
      formula: "Σ x·P over transfers from contracts to the cohort, outside contracts",
      selectors: { v1: setE },
    },
  ]),
] as const;

export type MetricName = (typeof METRICS)[number]["name"];

const byName: ReadonlyMap<string, Metric & { name: MetricName }> = new Map(
  METRICS.map((metric) => [metric.name, metric]),
);

/** The registry's entry of a metric. */
export function metricByName(name: MetricName): Metric & { name: MetricName } {
  return byName.get(name)!;
}

/** The metric at `/<version>/metrics/<name>`, if that version has it. */
export function findMetric(version: Version, name: string): (Metric & { name: MetricName }) | undefined {
  const metric = byName.get(name);
  return metric?.selectors[version] === undefined ? undefined : metric;
}

/** Names of a version's metrics, in registry order. */
export function metricNames(version: Version): MetricName[] {
  return METRICS.filter((metric) => metric.selectors[version] !== undefined).map((metric) => metric.name);
}

/** The resolutions at which metrics are stored, and served by v3. */
const KIND_RESOLUTIONS: Record<Metric["kind"], readonly Resolution[]> = {
  flow: RESOLUTIONS,
  state: RESOLUTIONS.filter(isCalendar),
  price: RESOLUTIONS.filter((resolution) => resolution !== "block"),
};

/** The resolutions at which a metric is stored, and served by v3. A block is no bucket in which something could count anew. */
export function resolutionsOf({ kind, countsAnew, shortest }: Metric): readonly Resolution[] {
  const resolutions = shortest ? RESOLUTIONS.filter(isCalendar) : KIND_RESOLUTIONS[kind];
  return countsAnew ? resolutions.filter((resolution) => resolution !== "block") : resolutions;
}

/** Whether a metric's buckets add up to longer ones. */
export const addsUp = ({ kind, shape, countsAnew }: Metric): boolean =>
  kind === "flow" && shape === "sum" && countsAnew === undefined;

/** The resolutions at which v1 and v2 serve a metric. */
export function v1ResolutionsOf(metric: Metric): readonly V1Resolution[] {
  return V1_RESOLUTIONS.filter((resolution) => resolutionsOf(metric).includes(resolution));
}

/** The selector of a metric in v3; null if the metric has only one series. Its values are those that are stored. */
export function selectorIn({ selectors }: Metric): Selector | null {
  return selectors.v3;
}

/** Whether a metric takes own cohorts. */
export const takesOwnCohorts = (metric: Metric): boolean => haveOwnCohorts(seriesOf(metric));

/** Selectors of a metric's series, in the order in which they are stored in an object. */
export function seriesOf(metric: Metric): readonly string[] {
  return selectorIn(metric)?.values ?? [SINGLE_SERIES];
}

/** The metrics of an own cohort, in the order in which their series are stored in its objects. */
export const OWN_METRICS: readonly (Metric & { name: MetricName })[] = METRICS.filter(takesOwnCohorts);

/** The metrics of lots, in the order in which their series are stored in the objects of a method. */
export const LOT_METRICS: readonly (Metric & { name: MetricName })[] = METRICS.filter(
  ({ name }) => lotCohortsOf(name).length > 0,
);

/** The names of all series of a method, in the order in which an object has them. */
export const lotTable = (method: LotMethod): string[] =>
  LOT_METRICS.flatMap(({ name }) =>
    lotSelectors(method, lotCohortsOf(name)).map((selector) => lotSeries(name, selector)),
  );
