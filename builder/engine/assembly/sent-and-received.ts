/**
 * What each address has sent and received since its first event, and the profit that its sends have realised. The sums are
 * made in the order of events. Source: docs/methodology.md §12.
 */

import { allocate } from "./memory";

/**
 * Of each holder, read and written by the driver: f64 realised profit (USD), f64 tokens sent, u32 receipts, u32 sends, and
 * eight bytes that keep it on one cache line. 0 in a replay of listed addresses, which has none.
 */
export let sentAndReceived: usize = 0;
const BYTES: usize = 32;
const SENT: usize = 8;
const RECEIPTS: usize = 16;
const SENDS: usize = 20;

export function setupSentAndReceived(holders: u64): void {
  sentAndReceived = holders > 0 ? allocate(holders * <u64>BYTES) : 0;
}

/** @param profit of the tokens: what they are worth, less what they have cost */
export function noteSend(holder: u32, tokens: f64, profit: f64): void {
  if (sentAndReceived === 0) return;
  const at = sentAndReceived + <usize>holder * BYTES;
  store<f64>(at, load<f64>(at) + profit);
  store<f64>(at, load<f64>(at, SENT) + tokens, SENT);
  store<u32>(at, load<u32>(at, SENDS) + 1, SENDS);
}

export function noteReceipt(holder: u32): void {
  if (sentAndReceived === 0) return;
  const at = sentAndReceived + <usize>holder * BYTES + RECEIPTS;
  store<u32>(at, load<u32>(at) + 1);
}
