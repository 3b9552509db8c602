/** The buckets of holders by cost and by age of coins: how they change, their series, and percentiles of the costs. */

export * from "./distributions/buckets-ending.ts";
export * from "./distributions/change-log.ts";
export * from "./distributions/cost-percentiles.ts";
export * from "./distributions/distribution-series.ts";
