/** Joins the holders of a checkpoint with the history after it. */

import type { History } from "../../builder/engine/history/history.ts";
import { AddressTable } from "../../builder/input/addresses.ts";
import { pick, sharedWords } from "../../builder/lib/columns/shared.ts";
import type { Holders } from "./checkpoint.ts";

/** Returns the history with the holders as its first addresses, in their order, whether or not they appear in it. */
export function resumeHistory(history: History, holders: Holders): History {
  const table = new AddressTable();
  table.numbersOf(holders.addresses, "insert");
  const numbers = table.numbersOf(history.addresses, "insert");
  return {
    ...history,
    from: pick(numbers, history.from, sharedWords(history.from.length)),
    to: pick(numbers, history.to, sharedWords(history.to.length)),
    addresses: table.bytes(),
  };
}
