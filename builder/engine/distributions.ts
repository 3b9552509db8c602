/** The buckets of holders by cost and by age of coins: how they change, and their series. */

export * from "./distributions/change-log.ts";
export * from "./distributions/distribution-series.ts";
