/**
 * A checkpoint has the label of every address that has held the token. An address that has sold everything is no longer a
 * holder, but its label has shaped earlier points. So a build resumes only while none of these labels has changed.
 * Source: docs/building.md#labels.
 */

import { type AddressLabels, labelsOf } from "../../input/labels/address-labels.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import type { LabelledAddresses } from "./checkpoint-rows.ts";

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

export function changedLabels(seen: Iterable<LabelledAddresses>, labels: AddressLabels): ChangedLabels | undefined {
  const groupsOf = labelsOf(labels);
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
