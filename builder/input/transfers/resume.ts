/** Joins the holders of a checkpoint with the history after it. */

import { sharedWords } from "../../columns/shared.ts";
import type { Holders } from "../../engine/checkpoint.ts";
import type { History } from "../../engine/history.ts";
import { AddressTable } from "../addresses.ts";

/** Returns the history with the holders as its first addresses, in their order, whether or not they appear in it. */
export function resumeHistory(history: History, holders: Holders): History {
  const table = new AddressTable();
  table.numbersOf(holders.addresses, "insert");
  const numbers = table.numbersOf(history.addresses, "insert");
  return {
    ...history,
    from: renumber(history.from, numbers),
    to: renumber(history.to, numbers),
    addresses: table.bytes(),
  };
}

function renumber(column: Uint32Array, numbers: Uint32Array): Uint32Array<SharedArrayBuffer> {
  const renumbered = sharedWords(column.length);
  for (let row = 0; row < column.length; row++) renumbered[row] = numbers[column[row]!]!;
  return renumbered;
}
