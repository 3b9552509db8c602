/** Lots of addresses by one method: their replay, the pieces that sends take, and what is held of them at each day's close. */

export * from "./lots/lot-book.ts";
export * from "./lots/lot-distributions.ts";
export * from "./lots/piece-events.ts";
export * from "./lots/replay-lots.ts";
