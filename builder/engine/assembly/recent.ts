/**
 * Addresses by the day of their last event: at a day's close, how many have had one in the last days, whether they hold
 * anything or not. Windows are whole days, so it is enough to know how many have had their last event on each of them.
 * Source: docs/methodology.md §9.
 */

import { CONTRACT, FIRST_EXCHANGE, USER } from "../classification";
import { allocate } from "./memory";

/** The longest window, and the other one, in days. */
export const RECENT_DAYS: i32 = 30;
const WEEK_DAYS: i32 = 7;

/** The rows of `closingRecent`: users, contracts, exchanges. */
const GROUPS: i32 = 3;
/** Days whose counts are kept: a power of two, more than the longest window. */
const KEPT_DAYS: i32 = 32;

/** By group and day: u32. */
let counts: usize = 0;
/** At the last close, by group: the addresses of the longest window, then those of the other one; u32, read by the driver. */
export let closingRecent: usize = 0;

export function setupRecent(): void {
  counts = allocate(4 * GROUPS * KEPT_DAYS);
  closingRecent = allocate(4 * GROUPS * 2);
}

/** Moves an address to the day of its newest event. @param last the day of the event before; negative if there is none */
export function moveRecent(group: i32, last: i32, day: i32): void {
  if (last >= 0 && last > day - RECENT_DAYS) store<u32>(countOf(group, last), load<u32>(countOf(group, last)) - 1);
  store<u32>(countOf(group, day), load<u32>(countOf(group, day)) + 1);
}

function countOf(group: i32, day: i32): usize {
  const row = group === USER ? 0 : group === CONTRACT ? 1 : 2;
  return counts + 4 * (KEPT_DAYS * row + (day & (KEPT_DAYS - 1)));
}

/** Writes `closingRecent` at the close of a day, and begins the next one. */
export function closeRecent(day: i32): void {
  for (let row = 0; row < GROUPS; row++) {
    const group = row === 0 ? USER : row === 1 ? CONTRACT : FIRST_EXCHANGE;
    let sum: u32 = 0;
    for (let ago = 0; ago < RECENT_DAYS; ago++) {
      sum += load<u32>(countOf(group, day - ago));
      if (ago === WEEK_DAYS - 1) store<u32>(closingRecent + 8 * row, sum, 4);
    }
    store<u32>(closingRecent + 8 * row, sum);
    store<u32>(countOf(group, day + 1), 0);
  }
}
