/** Holders and large transfers as they are stored: indexes and rows. What a manifest says of them is stored.ts's. It needs zstd, which pages lack. */

export * from "./stored/holders/holder-index.ts";
export * from "./stored/holders/holder-order.ts";
export * from "./stored/holders/holder-rows.ts";
export * from "./stored/holders/stored-numbers.ts";
export * from "./stored/large-transfer-rows.ts";
