/**
 * The rows of a checkpoint as streams of batches, in ascending order of their addresses. Each step reads one batch at a
 * time, so the memory that they need does not depend on how many addresses there are.
 */

import { isZero } from "../../engine/history.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";

/** Addresses that have held the token, and their labels. */
export interface LabelledAddresses {
  rows: number;
  /** 20 bytes each, ascending. */
  addresses: Uint8Array;
  /** Labels as engine/classification.ts numbers them. */
  labels: Uint8Array;
}

/** Addresses with what they hold: all zeros if they have sold everything. */
export interface CheckpointRows extends LabelledAddresses {
  /** Raw, little-endian, in as many 32-bit words as the checkpoint has for each. */
  balances: Uint32Array;
  /** Average purchase price, USD per token. */
  basis: Float64Array;
  /** Average purchase time, Unix seconds. */
  purchaseTime: Float64Array;
  /** Times of the first event, the last send and the last receipt, Unix seconds; negative without a send. */
  firstEvent: Float64Array;
  lastSend: Float64Array;
  lastReceipt: Float64Array;
  /**
   * Day of the last deposit, since 1970-01-01: of a deposit address, of what it received last; of any other address outside
   * exchanges, of its last transfer to one. 0 without one.
   */
  lastDeposit: Uint32Array;
}

export const emptyRows = (rows: number, words: number): CheckpointRows => ({
  rows,
  addresses: new Uint8Array(ADDRESS_BYTES * rows),
  labels: new Uint8Array(rows),
  balances: new Uint32Array(words * rows),
  basis: new Float64Array(rows),
  purchaseTime: new Float64Array(rows),
  firstEvent: new Float64Array(rows),
  lastSend: new Float64Array(rows),
  lastReceipt: new Float64Array(rows),
  lastDeposit: new Uint32Array(rows),
});

/** Divides the rows of batches of any size into groups of `groupRows`; the last one may be smaller. */
export function* regroup(
  batches: Iterable<CheckpointRows>,
  words: number,
  groupRows: number,
): Generator<CheckpointRows> {
  let parts: CheckpointRows[] = [];
  let room = groupRows;
  for (const batch of batches) {
    for (let row = 0, end: number; row < batch.rows; row = end) {
      end = Math.min(row + room, batch.rows);
      parts.push(slice(batch, words, row, end));
      room -= end - row;
      if (room > 0) continue;
      yield join(parts, words);
      parts = [];
      room = groupRows;
    }
  }
  if (parts.length > 0) yield join(parts, words);
}

/** Rows [from, to), as views of the same memory. */
function slice(
  { addresses, labels, balances, basis, purchaseTime, firstEvent, lastSend, lastReceipt, lastDeposit }: CheckpointRows,
  words: number,
  from: number,
  to: number,
): CheckpointRows {
  return {
    rows: to - from,
    addresses: addresses.subarray(ADDRESS_BYTES * from, ADDRESS_BYTES * to),
    labels: labels.subarray(from, to),
    balances: balances.subarray(words * from, words * to),
    basis: basis.subarray(from, to),
    purchaseTime: purchaseTime.subarray(from, to),
    firstEvent: firstEvent.subarray(from, to),
    lastSend: lastSend.subarray(from, to),
    lastReceipt: lastReceipt.subarray(from, to),
    lastDeposit: lastDeposit.subarray(from, to),
  };
}

function join(parts: readonly CheckpointRows[], words: number): CheckpointRows {
  const joined = emptyRows(
    parts.reduce((sum, { rows }) => sum + rows, 0),
    words,
  );
  let row = 0;
  for (const { rows, addresses, labels, balances, basis, purchaseTime, ...times } of parts) {
    joined.addresses.set(addresses, ADDRESS_BYTES * row);
    joined.labels.set(labels, row);
    joined.balances.set(balances, words * row);
    joined.basis.set(basis, row);
    joined.purchaseTime.set(purchaseTime, row);
    joined.firstEvent.set(times.firstEvent, row);
    joined.lastSend.set(times.lastSend, row);
    joined.lastReceipt.set(times.lastReceipt, row);
    joined.lastDeposit.set(times.lastDeposit, row);
    row += rows;
  }
  return joined;
}

/** The holders among the rows of a checkpoint: those with a balance. */
export function countHolders({ rows, balances }: CheckpointRows, words: number): number {
  let count = 0;
  for (let row = 0; row < rows; row++) if (!isZero(balances, words * row, words)) count++;
  return count;
}
