/** Days, weeks and months of series, and the periods that they are published in. */

export * from "./calendar/coin-days.ts";
export * from "./calendar/concat-series.ts";
export * from "./calendar/coverage.ts";
export * from "./calendar/largest-transfers.ts";
export * from "./calendar/medians.ts";
export * from "./calendar/next-checkpoint.ts";
export * from "./calendar/object-periods.ts";
export * from "./calendar/price-series.ts";
export * from "./calendar/states.ts";
export * from "./calendar/weeks-and-months.ts";
