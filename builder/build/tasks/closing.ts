/** Who has held the token by the close of the last day, of one partition: in ascending order of the addresses. */

import type { Codec } from "../../../data-schema/parquet/metadata.ts";
import type { HoldersOfPartition } from "../../engine/replay.ts";
import { addressOrder } from "../../input/address-order.ts";
import { TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { held } from "./layouts.ts";
import type { PartitionAddresses } from "./partition-addresses.ts";

/** Rows of a row group: a group of each partition is in memory when they are merged. */
const GROUP_ROWS = 16_384;

/**
 * Every address with an event has held the token.
 *
 * @param holders with even ids: twice the numbers of the addresses
 */
export function* encodeClosing(
  { table, labels }: PartitionAddresses,
  { ids, words, balances, basis, purchaseTime, firstEvents, lastEvents }: HoldersOfPartition,
  codec: Codec,
): Generator<Uint8Array> {
  // Number 0 stands for what is not an address of the partition.
  const seen = Uint32Array.from(lastEvents.keys()).filter((number) => number > 0 && lastEvents[number]! >= 0);
  const addresses = table.pick(seen);
  const order = addressOrder(addresses);
  /** Where an address is among the holders, plus 1, by its number. */
  const places = new Uint32Array(lastEvents.length);
  ids.forEach((id, i) => {
    places[id / 2] = i + 1;
  });
  const encoder = new TableEncoder(held(words), codec);
  for (let begin = 0; begin < order.length; begin += GROUP_ROWS) {
    const rows = order.subarray(begin, begin + GROUP_ROWS);
    const group = {
      address: new Uint8Array(ADDRESS_BYTES * rows.length),
      label: new Uint8Array(rows.length),
      balance: new Uint32Array(words * rows.length),
      basis: new Float64Array(rows.length),
      since: new Float64Array(rows.length),
      firstEvent: Float64Array.from(rows, (i) => firstEvents[seen[i]!]!),
      lastEvent: Float64Array.from(rows, (i) => lastEvents[seen[i]!]!),
    };
    for (const [row, i] of rows.entries()) {
      group.address.set(addresses.subarray(ADDRESS_BYTES * i, ADDRESS_BYTES * (i + 1)), ADDRESS_BYTES * row);
      group.label[row] = labels[seen[i]!]!;
      const holder = places[seen[i]!]! - 1;
      if (holder < 0) continue;
      for (let word = 0; word < words; word++) group.balance[words * row + word] = balances[words * holder + word]!;
      group.basis[row] = basis[holder]!;
      group.since[row] = purchaseTime[holder]!;
    }
    yield* encoder.group(rows.length, group);
  }
  yield* encoder.end();
}
