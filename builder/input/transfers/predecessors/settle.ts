/** Makes balances what a snapshot says: what an address has beyond it is burned, and what it lacks is minted, right after a block. */

import type { History } from "../../../engine/history.ts";
import { AddressTable } from "../../addresses.ts";
import type { Settlement } from "../shares/share.ts";

/** Events with their amounts as whole numbers. */
export interface AmountedEvents extends Omit<History, "rows" | "values" | "valueWords"> {
  amounts: bigint[];
}

/** From here on, log indexes are of events that no log has. */
const FIRST_INDEX = 2 ** 31;

export function settle(events: AmountedEvents, { block, time, changes }: Settlement): AmountedEvents {
  const later = events.block.findIndex((number) => number > block);
  const at = later < 0 ? events.block.length : later;
  const table = new AddressTable();
  table.numbersOf(events.addresses, "insert");
  const digits = Buffer.from(changes.map(([address]) => address.slice(2)).join(""), "hex");
  const numbers = table.numbersOf(new Uint8Array(digits), "insert");
  const isMint = changes.map(([, raw]) => BigInt(raw) > 0n);
  const spliced = <C extends Float64Array | Uint32Array>(
    column: C,
    create: (length: number) => C,
    added: (change: number) => number,
  ): C => {
    const out = create(column.length + changes.length);
    out.set(column.subarray(0, at));
    for (let change = 0; change < changes.length; change++) out[at + change] = added(change);
    out.set(column.subarray(at), at + changes.length);
    return out;
  };
  const doubles = (length: number): Float64Array => new Float64Array(length);
  const words = (length: number): Uint32Array => new Uint32Array(length);
  return {
    block: spliced(events.block, doubles, () => block),
    timestamp: spliced(events.timestamp, doubles, () => time),
    logIndex: spliced(events.logIndex, words, (change) => FIRST_INDEX + change),
    from: spliced(events.from, words, (change) => (isMint[change] ? 0 : numbers[change]!)),
    to: spliced(events.to, words, (change) => (isMint[change] ? numbers[change]! : 0)),
    amounts: [
      ...events.amounts.slice(0, at),
      ...changes.map(([, raw]) => BigInt(raw.replace("-", ""))),
      ...events.amounts.slice(at),
    ],
    addresses: table.bytes(),
  };
}
