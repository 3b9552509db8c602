/**
 * The history that is computed from: events in columns, the groups of addresses, tallies, prices, and the checkpoint
 * that a build resumes from.
 */

export * from "./history/amounts.ts";
export * from "./history/checkpoint.ts";
export * from "./history/history.ts";
export * from "./history/outline.ts";
export * from "./history/overdraft.ts";
export * from "./history/prices.ts";
export * from "./history/tally.ts";
export * from "./history/whose.ts";
