/** The replay of a history, partition by partition, and the check of its supply. */

export * from "./replay/check-supply.ts";
export * from "./replay/replay.ts";
