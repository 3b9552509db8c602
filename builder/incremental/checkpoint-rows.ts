/**
 * The rows of a checkpoint as streams of batches, in ascending order of their addresses. Each step reads one batch at a
 * time, so the memory that they need does not depend on how many addresses there are.
 */

import { isZero } from "../engine/amounts.ts";
import type { Holders } from "../engine/checkpoint.ts";
import { ADDRESS_BYTES } from "../input/addresses.ts";
import { addressOrder, compareAddresses, copyAddress, isSameAddress, wordsOf } from "./address-order.ts";

/** Addresses that have held the token, and their labels. */
export interface LabelledAddresses {
  rows: number;
  /** 20 bytes each, ascending. */
  addresses: Uint8Array;
  /** As kernel/classification.ts numbers them. */
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
}

/** Rows of a batch that is made here. */
const BATCH_ROWS = 8_192;

export const emptyLabelled = (rows: number): LabelledAddresses => ({
  rows,
  addresses: new Uint8Array(ADDRESS_BYTES * rows),
  labels: new Uint8Array(rows),
});

export const emptyRows = (rows: number, words: number): CheckpointRows => ({
  ...emptyLabelled(rows),
  balances: new Uint32Array(words * rows),
  basis: new Float64Array(rows),
  purchaseTime: new Float64Array(rows),
});

/** Some addresses of a column, in the order of `ids`. */
export function* labelled(addresses: Uint8Array, labels: Uint8Array, ids: Uint32Array): Generator<LabelledAddresses> {
  const words = wordsOf(addresses);
  for (let first = 0; first < ids.length; first += BATCH_ROWS) {
    const rows = ids.subarray(first, first + BATCH_ROWS);
    const batch = emptyLabelled(rows.length);
    const into = wordsOf(batch.addresses);
    for (const [row, id] of rows.entries()) {
      copyAddress(words, id, into, row);
      batch.labels[row] = labels[id]!;
    }
    yield batch;
  }
}

/** The addresses of both streams, each once, with the label that the first has of it. */
export function* union(
  first: Iterable<LabelledAddresses>,
  second: Iterable<LabelledAddresses>,
): Generator<LabelledAddresses> {
  const [a, b] = [new Cursor(first), new Cursor(second)];
  let batch = emptyLabelled(BATCH_ROWS);
  let rows = 0;
  while (!a.isDone || !b.isDone) {
    const order = a.isDone ? 1 : b.isDone ? -1 : compareAddresses(a.view, a.row, b.view, b.row);
    (order <= 0 ? a : b).copyTo(batch, rows++);
    if (order <= 0) a.advance();
    if (order >= 0) b.advance();
    if (rows < BATCH_ROWS) continue;
    yield batch;
    batch = emptyLabelled(BATCH_ROWS);
    rows = 0;
  }
  if (rows > 0) yield { ...batch, rows };
}

/** A row of a stream. */
class Cursor {
  row = -1;
  view: DataView = new DataView(new ArrayBuffer(0));
  isDone = false;
  readonly #batches: Iterator<LabelledAddresses>;
  #batch = emptyLabelled(0);
  #words: Uint32Array = new Uint32Array();

  constructor(batches: Iterable<LabelledAddresses>) {
    this.#batches = batches[Symbol.iterator]();
    this.advance();
  }

  advance(): void {
    this.row++;
    while (!this.isDone && this.row === this.#batch.rows) {
      const next = this.#batches.next();
      if (next.done) {
        this.isDone = true;
        return;
      }
      this.#batch = next.value;
      const { addresses } = next.value;
      this.#words = wordsOf(addresses);
      this.view = new DataView(addresses.buffer, addresses.byteOffset, addresses.length);
      this.row = 0;
    }
  }

  copyTo({ addresses, labels }: LabelledAddresses, row: number): void {
    copyAddress(this.#words, this.row, wordsOf(addresses), row);
    labels[row] = this.#batch.labels[this.row]!;
  }
}

/**
 * Adds what the holders have to the addresses.
 *
 * @param holders in any order
 * @param seen all of the holders, and others
 */
export function* withHoldings(
  { addresses, words, balances, basis, purchaseTime }: Holders,
  seen: Iterable<LabelledAddresses>,
): Generator<CheckpointRows> {
  const order = addressOrder(addresses);
  const held = wordsOf(addresses);
  let next = 0;
  for (const batch of seen) {
    const rows = { ...emptyRows(batch.rows, words), ...batch };
    const known = wordsOf(batch.addresses);
    for (let row = 0; row < batch.rows && next < order.length; row++) {
      const holder = order[next]!;
      if (!isSameAddress(held, holder, known, row)) continue;
      for (let word = 0; word < words; word++) rows.balances[words * row + word] = balances[words * holder + word]!;
      rows.basis[row] = basis[holder]!;
      rows.purchaseTime[row] = purchaseTime[holder]!;
      next++;
    }
    yield rows;
  }
  if (next < order.length) throw new Error("a holder is missing from the addresses that have been seen");
}

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
  { addresses, labels, balances, basis, purchaseTime }: CheckpointRows,
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
  };
}

function join(parts: readonly CheckpointRows[], words: number): CheckpointRows {
  const joined = emptyRows(
    parts.reduce((sum, { rows }) => sum + rows, 0),
    words,
  );
  let row = 0;
  for (const { rows, addresses, labels, balances, basis, purchaseTime } of parts) {
    joined.addresses.set(addresses, ADDRESS_BYTES * row);
    joined.labels.set(labels, row);
    joined.balances.set(balances, words * row);
    joined.basis.set(basis, row);
    joined.purchaseTime.set(purchaseTime, row);
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
