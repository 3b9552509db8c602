/**
 * Every address that has held the token before a checkpoint, with its label. An address that has sold everything is no
 * longer a holder, but its label has shaped earlier points. So a build resumes only while none of these labels has changed.
 * Source: docs/building.md#labels.
 */

import { orderBy } from "../columns/order.ts";
import { sharedBytes } from "../columns/shared.ts";
import { isZero } from "../engine/amounts.ts";
import type { Groups, History } from "../engine/history.ts";
import { firstRowAt, type Timeline } from "../engine/timeline.ts";
import { ADDRESS_BYTES, ADDRESS_WORDS } from "../input/addresses.ts";
import { groupsOf, type Labels } from "../input/labels.ts";

export interface SeenAddresses {
  /** 20 bytes each, ascending, each address once. */
  addresses: Uint8Array<SharedArrayBuffer>;
  /** The label of each, as kernel/classification.ts numbers them. */
  groups: Groups;
}

/** The addresses that sent or received tokens before a time, joined with those of the last checkpoint. */
export function seenAddresses({ history, groups }: Timeline, time: number, before?: SeenAddresses): SeenAddresses {
  const moved = movedBefore(history, time);
  const known = before?.groups.length ?? 0;
  const all = {
    words: new Uint32Array(ADDRESS_WORDS * (known + moved.length)),
    groups: new Uint8Array(known + moved.length),
  };
  if (before) {
    all.words.set(wordsOf(before.addresses));
    all.groups.set(before.groups);
  }
  const words = wordsOf(history.addresses);
  for (const [i, address] of moved.entries()) {
    copyAddress(words, address, all.words, known + i);
    all.groups[known + i] = groups[address]!;
  }

  const order = addressOrder(new Uint8Array(all.words.buffer));
  const distinct = order.filter((row, i) => i === 0 || !isSameAddress(all.words, row, all.words, order[i - 1]!));
  const addresses = sharedBytes(ADDRESS_BYTES * distinct.length);
  const sorted = wordsOf(addresses);
  const seen = { addresses, groups: sharedBytes(distinct.length) };
  for (const [i, row] of distinct.entries()) {
    copyAddress(all.words, row, sorted, i);
    seen.groups[i] = all.groups[row]!;
  }
  return seen;
}

/** Skips events that count nowhere (docs/methodology.md §2): no series depends on the labels of their addresses. */
function movedBefore(history: History, time: number): number[] {
  const { from, to, values, valueWords } = history;
  const isMoved = new Uint8Array(history.addresses.length / ADDRESS_BYTES);
  const end = firstRowAt(history, time);
  for (let row = 0; row < end; row++) {
    if (from[row] === to[row] || isZero(values, row * valueWords, valueWords)) continue;
    isMoved[from[row]!] = 1;
    isMoved[to[row]!] = 1;
  }
  const moved: number[] = [];
  // Address 0 is the zero address, which has no label.
  for (let address = 1; address < isMoved.length; address++) if (isMoved[address]) moved.push(address);
  return moved;
}

/** Labels that differ from those recorded in a checkpoint. */
export interface ChangedLabels {
  count: number;
  first: {
    /** `0x…`, in lower case. */
    address: string;
    before: number;
    now: number;
  };
}

export function changedLabels({ addresses, groups }: SeenAddresses, labels: Labels): ChangedLabels | undefined {
  const now = groupsOf(addresses, labels.groups);
  let first: ChangedLabels["first"] | undefined;
  let count = 0;
  for (const [row, before] of groups.entries()) {
    if (before === now[row]) continue;
    const bytes = addresses.subarray(ADDRESS_BYTES * row, ADDRESS_BYTES * (row + 1));
    first ??= { address: `0x${Buffer.from(bytes).toString("hex")}`, before, now: now[row]! };
    count++;
  }
  return first && { first, count };
}

export const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);

export function copyAddress(from: Uint32Array, at: number, into: Uint32Array, to: number): void {
  for (let word = 0; word < ADDRESS_WORDS; word++) into[to * ADDRESS_WORDS + word] = from[at * ADDRESS_WORDS + word]!;
}

export function isSameAddress(a: Uint32Array, at: number, b: Uint32Array, there: number): boolean {
  for (let word = 0; word < ADDRESS_WORDS; word++) {
    if (a[at * ADDRESS_WORDS + word] !== b[there * ADDRESS_WORDS + word]) return false;
  }
  return true;
}

/**
 * Sorts addresses by their bytes.
 *
 * @param addresses 20 bytes each
 * @returns row numbers in ascending order of the addresses; equal addresses keep their order
 */
export function addressOrder({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  const count = length / ADDRESS_BYTES;
  const view = new DataView(buffer, byteOffset);
  const word = (row: number, index: number) => view.getUint32(ADDRESS_BYTES * row + 4 * index);
  const leading = new Float64Array(count);
  for (let row = 0; row < count; row++) leading[row] = word(row, 0) * 2 ** 16 + (word(row, 1) >>> 16);
  const order = orderBy(count, [leading]);
  // Different addresses rarely share their first 48 bits, unless somebody has chosen them.
  const isSorted = order.every((row, i) => i === 0 || leading[row] !== leading[order[i - 1]!]);
  if (isSorted) return order;
  const columns = Array.from({ length: ADDRESS_WORDS }, (_, index) =>
    Uint32Array.from({ length: count }, (_, row) => word(row, index)),
  );
  return orderBy(count, columns);
}
