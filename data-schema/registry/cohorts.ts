/** Address cohorts: families, their edges, and the sets that endpoints accept. Source: docs/methodology.md §4. */

import { DAY_SECONDS } from "../text/seconds.ts";

/** Values of a selector that have something in common. */
export interface Family {
  title: string;
  values: readonly string[];
  /** Present if no address, exchange or transfer is in two of the values, but for the one that they divide. */
  division?: {
    /** What tells them apart, in a word: `age`. Unique in a selector. */
    by: string;
    /** The value that they are parts of; they may leave something of it out. */
    of: string;
    /** Whether their order means something. */
    isOrdered: boolean;
  };
}

/** All addresses, and the three disjoint groups that they fall into. */
export const BASE_COHORTS = ["total", "users", "sc", "cex"] as const;

/** Lower edges, in USD, of the value ranges: half-open, the last one without an upper end. */
export const VALUE_RANGE_EDGES_USD = [0, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000] as const;

/** Cohorts of `users` by the dollar value of an address's balance. */
export const VALUE_RANGES = ["$0-100", "$100-1k", "$1k-10k", "$10k-100k", "$100k-1M", "$1M-10M", "$10M+"] as const;

/** Cohorts of `users` by tokens held; `balanceEdges` in asset.ts gives their edges. */
export const BALANCE_COHORTS = [
  "balance_cohort_0",
  "balance_cohort_1",
  "balance_cohort_2",
  "balance_cohort_3",
  "balance_cohort_4",
  "balance_cohort_5",
  "balance_cohort_6",
  "balance_cohort_7",
] as const;

/** Edges, in seconds, of the holding ages: age i is [edge i, edge i + 1); older than the last edge is in none. */
export const AGE_EDGES_SECONDS = [0, 1, 7, 30, 90, 180, 365, 730, 1095, 1825, 2555, 3650].map(
  (days) => days * DAY_SECONDS,
);

/** Cohorts of `users` by average holding age. */
export const AGE_COHORTS = [
  "<1d",
  "1d-1w",
  "1w-1m",
  "1m-3m",
  "3m-6m",
  "6m-1y",
  "1y-2y",
  "2y-3y",
  "3y-5y",
  "5y-7y",
  "7y-10y",
] as const;

/** Cohorts of `users` by term: short-term holders have held for less than `TERM_EDGE_SECONDS`, on average. v3 alone has them. */
export const HOLDING_TERMS = ["sth", "lth"] as const;

/** 155 days, in seconds: where the long term begins. */
export const TERM_EDGE_SECONDS = 155 * DAY_SECONDS;

const SUBDIVISIONS = [...VALUE_RANGES, ...BALANCE_COHORTS, ...AGE_COHORTS] as const;

/** The cohorts of v1 and v2 by family, in the order of every set. */
export const COHORT_FAMILIES = [
  { title: "Base", values: BASE_COHORTS, division: { by: "group", of: "total", isOrdered: false } },
  { title: "By value in USD", values: VALUE_RANGES, division: { by: "value", of: "users", isOrdered: true } },
  { title: "By balance", values: BALANCE_COHORTS, division: { by: "balance", of: "users", isOrdered: true } },
  { title: "By holding age", values: AGE_COHORTS, division: { by: "age", of: "users", isOrdered: true } },
] as const;

/** The cohorts of v3 by family, in the order of every set with terms. */
export const V3_COHORT_FAMILIES = [
  ...COHORT_FAMILIES,
  { title: "By term", values: HOLDING_TERMS, division: { by: "term", of: "users", isOrdered: true } },
] as const;

/** Full set: flow metrics of the sending side. */
export const SET_A = ["total", "users", ...SUBDIVISIONS] as const;
/** SOPR in profit and in loss. */
export const SET_B = ["total", "users"] as const;
/** Full set with exchanges and contracts: state metrics. */
export const SET_C = ["total", "users", "sc", "cex", ...SUBDIVISIONS] as const;
/** Only subdivisions of `users`: cohort inflow and outflow. */
export const SET_D = SUBDIVISIONS;
/** `total` and the subdivisions of `users`: flows between a cohort and exchanges or contracts. */
export const SET_E = ["total", ...SUBDIVISIONS] as const;
/** Version 2's set for volume and volume_dollar. */
export const SET_V2 = ["total", ...VALUE_RANGES] as const;

export type Cohort = (typeof SET_C)[number];

/** A set as v3 has it: with the terms after its cohorts. */
export const withTerms = <const Name extends string>(set: readonly Name[]) => [...set, ...HOLDING_TERMS] as const;
