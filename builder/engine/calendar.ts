/** Days, weeks and months of series, and the periods that they are published in. */

export * from "./calendar/calendar.ts";
export * from "./calendar/concat-series.ts";
export * from "./calendar/coverage.ts";
export * from "./calendar/next-checkpoint.ts";
export * from "./calendar/periods.ts";
export * from "./calendar/price-series.ts";
export * from "./calendar/states.ts";
