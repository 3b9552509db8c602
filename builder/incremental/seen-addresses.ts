/**
 * Every address that has held the token before a checkpoint, with its label. An address that has sold everything is no
 * longer a holder, but its label has shaped earlier points. So a build resumes only while none of these labels has changed.
 * Source: docs/building.md#labels.
 */

import { isZero } from "../engine/amounts.ts";
import type { History } from "../engine/history.ts";
import { firstRowAt, type Timeline } from "../engine/timeline.ts";
import { ADDRESS_BYTES } from "../input/addresses.ts";
import { groupsFrom, type Labels } from "../input/labels.ts";
import { addressOrder } from "./address-order.ts";
import { type LabelledAddresses, labelled, union } from "./checkpoint-rows.ts";

/**
 * The addresses that sent or received tokens before a time, joined with those of the last checkpoint; each once, in
 * ascending order.
 */
export function seenAddresses(
  { history, groups }: Timeline,
  time: number,
  before: Iterable<LabelledAddresses> = [],
): Generator<LabelledAddresses> {
  const { addresses } = history;
  return union(before, labelled(addresses, groups, addressOrder(addresses, movedBefore(history, time))));
}

/** Skips events that count nowhere (docs/methodology.md §2): no series depends on the labels of their addresses. */
function movedBefore(history: History, time: number): Uint32Array {
  const { from, to, values, valueWords } = history;
  const isMoved = new Uint8Array(history.addresses.length / ADDRESS_BYTES);
  const end = firstRowAt(history, time);
  for (let row = 0; row < end; row++) {
    if (from[row] === to[row] || isZero(values, row * valueWords, valueWords)) continue;
    isMoved[from[row]!] = 1;
    isMoved[to[row]!] = 1;
  }
  // Address 0 is the zero address, which has no label.
  isMoved[0] = 0;
  const moved = new Uint32Array(isMoved.reduce((sum, one) => sum + one, 0));
  for (let address = 1, at = 0; at < moved.length; address++) if (isMoved[address]) moved[at++] = address;
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

export function changedLabels(seen: Iterable<LabelledAddresses>, labels: Labels): ChangedLabels | undefined {
  const groupsOf = groupsFrom(labels.groups);
  let first: ChangedLabels["first"] | undefined;
  let count = 0;
  for (const { rows, addresses, labels } of seen) {
    const now = groupsOf(addresses.subarray(0, ADDRESS_BYTES * rows));
    for (let row = 0; row < rows; row++) {
      const before = labels[row]!;
      if (before === now[row]) continue;
      const bytes = addresses.subarray(ADDRESS_BYTES * row, ADDRESS_BYTES * (row + 1));
      first ??= { address: `0x${Buffer.from(bytes).toString("hex")}`, before, now: now[row]! };
      count++;
    }
  }
  return first && { first, count };
}
