/** Looks up the label of each address of a column. */

import { sharedBytes } from "../columns/shared.ts";
import type { Groups } from "../engine/history.ts";
import { USER } from "../engine/kernel/classification.ts";
import { ADDRESS_BYTES, AddressTable, addressWords, NO_NUMBER } from "./addresses.ts";

/**
 * @param addresses 20 bytes each
 * @param labels groups by lower-case address
 */
export function groupsOf(addresses: Uint8Array<SharedArrayBuffer>, labels: ReadonlyMap<string, number>): Groups {
  const table = new AddressTable();
  const groupOf = [USER];
  for (const [address, group] of labels) {
    table.words(0).set(addressWords(address));
    table.insert(1, 1);
    groupOf.push(group);
  }
  const groups = sharedBytes(addresses.length / ADDRESS_BYTES);
  table.numbersOf(addresses, "find").forEach((number, row) => {
    groups[row] = number === NO_NUMBER ? USER : groupOf[number]!;
  });
  return groups;
}
