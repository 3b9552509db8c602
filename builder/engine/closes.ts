/** What holders add up to at the end of each day, exactly, so that partitions can be added up. */

export * from "./closes/close.ts";
export * from "./closes/closes.ts";
export { totalSupply } from "./closes/holdings.ts";
export { largestByDay } from "./closes/largest.ts";
