/**
 * The rows of a checkpoint as streams of batches, in ascending order of their addresses. Each step reads one batch at a
 * time, so the memory that they need does not depend on how many addresses there are.
 */

import { isZero } from "../../engine/history.ts";
import type { Layout, Rows } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";

/** Addresses that have held the token, and their labels. */
export interface LabelledAddresses {
  rows: number;
  /** 20 bytes each, ascending. */
  addresses: Uint8Array;
  /** Labels as engine/classification.ts numbers them. */
  labels: Uint8Array;
}

/** What is kept of an address beside its balance. */
export const KEPT_COLUMNS = {
  /** Average purchase price, USD per token, and average purchase time, Unix seconds; 0 if it holds nothing. */
  basis: "f64",
  since: "f64",
  /** Times of the first and the last event, Unix seconds. */
  firstEvent: "f64",
  lastEvent: "f64",
  /** Profit that its sends have realised, USD, and tokens sent, since its first event. */
  realised: "f64",
  sent: "f64",
  /** How often it has received and sent. */
  receipts: "u32",
  sends: "u32",
  /**
   * Day of the last deposit, since 1970-01-01: of a deposit address, of what it received last; of any other address outside
   * exchanges, of its last transfer to one. 0 without one.
   */
  lastDeposit: "u32",
} as const satisfies Layout;

export type KeptColumns = Rows<typeof KEPT_COLUMNS>;

const KEPT_NAMES = Object.keys(KEPT_COLUMNS) as (keyof KeptColumns)[];

export const emptyKept = (rows: number): KeptColumns => ({
  basis: new Float64Array(rows),
  since: new Float64Array(rows),
  firstEvent: new Float64Array(rows),
  lastEvent: new Float64Array(rows),
  realised: new Float64Array(rows),
  sent: new Float64Array(rows),
  receipts: new Uint32Array(rows),
  sends: new Uint32Array(rows),
  lastDeposit: new Uint32Array(rows),
});

/** Copies what is kept of one address. Column by column, as a loop over names takes ten times as long. */
export function copyKept(from: KeptColumns, row: number, into: KeptColumns, at: number): void {
  into.basis[at] = from.basis[row]!;
  into.since[at] = from.since[row]!;
  into.firstEvent[at] = from.firstEvent[row]!;
  into.lastEvent[at] = from.lastEvent[row]!;
  into.realised[at] = from.realised[row]!;
  into.sent[at] = from.sent[row]!;
  into.receipts[at] = from.receipts[row]!;
  into.sends[at] = from.sends[row]!;
  into.lastDeposit[at] = from.lastDeposit[row]!;
}

/** Addresses with what they hold: all zeros if they have sold everything. */
export interface CheckpointRows extends LabelledAddresses, KeptColumns {
  /** Raw, little-endian, in as many 32-bit words as the checkpoint has for each. */
  balances: Uint32Array;
  /** A bit for each own cohort that lists it; 0 until they are looked up. */
  cohorts: Uint32Array;
}

export const emptyRows = (rows: number, words: number): CheckpointRows => ({
  rows,
  addresses: new Uint8Array(ADDRESS_BYTES * rows),
  labels: new Uint8Array(rows),
  balances: new Uint32Array(words * rows),
  ...emptyKept(rows),
  cohorts: new Uint32Array(rows),
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
      parts.push(sliceRows(batch, words, row, end));
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
function sliceRows(rows: CheckpointRows, words: number, from: number, to: number): CheckpointRows {
  const kept = KEPT_NAMES.map((name) => [name, rows[name].subarray(from, to)]);
  return {
    rows: to - from,
    addresses: rows.addresses.subarray(ADDRESS_BYTES * from, ADDRESS_BYTES * to),
    labels: rows.labels.subarray(from, to),
    balances: rows.balances.subarray(words * from, words * to),
    ...(Object.fromEntries(kept) as KeptColumns),
    cohorts: rows.cohorts.subarray(from, to),
  };
}

function join(parts: readonly CheckpointRows[], words: number): CheckpointRows {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const joined = emptyRows(
    parts.reduce((sum, { rows }) => sum + rows, 0),
    words,
  );
  let row = 0;
  for (const part of parts) {
    joined.addresses.set(part.addresses, ADDRESS_BYTES * row);
    joined.labels.set(part.labels, row);
    joined.balances.set(part.balances, words * row);
    for (const name of KEPT_NAMES) joined[name].set(part[name], row);
    joined.cohorts.set(part.cohorts, row);
    row += part.rows;
  }
  return joined;
}

/** The holders among the rows of a checkpoint: those with a balance. */
export function countHolders({ rows, balances }: CheckpointRows, words: number): number {
  let count = 0;
  for (let row = 0; row < rows; row++) if (!isZero(balances, words * row, words)) count++;
  return count;
}
