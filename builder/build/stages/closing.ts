/** Who has held the token by the close of the last day, of one partition: in ascending order of the addresses. */

import type { Codec } from "../../../data-schema/parquet.ts";
import type { HoldersOfPartition } from "../../engine/replay.ts";
import { addressOrder, copyAddress, wordsOf } from "../../input/address-order.ts";
import { TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { held } from "../left/layouts.ts";
import type { PartitionAddresses } from "./partition-addresses.ts";

/** Rows of a row group: a group of each partition is in memory when they are merged. */
const GROUP_ROWS = 16_384;

/**
 * Every address with an event has received the token.
 *
 * @param holders with even ids: twice the numbers of the addresses
 */
export function* encodeClosing(
  { table, labels }: PartitionAddresses,
  { ids, words, balances, basis, purchaseTime, firstEvents, lastSends, lastReceipts, lastDeposits }: HoldersOfPartition,
  codec: Codec,
): Generator<Uint8Array> {
  // Number 0 stands for what is not an address of the partition.
  const numbers = new Uint32Array(lastReceipts.length);
  let count = 0;
  for (let number = 1; number < numbers.length; number++) if (lastReceipts[number]! >= 0) numbers[count++] = number;
  const seen = numbers.subarray(0, count);
  const addresses = table.pick(seen);
  const order = addressOrder(addresses);
  const addressWords = wordsOf(addresses);
  /** Where an address is among the holders, plus 1, by its number. */
  const places = new Uint32Array(lastReceipts.length);
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
      firstEvent: new Float64Array(rows.length),
      lastSend: new Float64Array(rows.length),
      lastReceipt: new Float64Array(rows.length),
      lastDeposit: new Uint32Array(rows.length),
    };
    const into = wordsOf(group.address);
    for (let row = 0; row < rows.length; row++) {
      const number = seen[rows[row]!]!;
      copyAddress(addressWords, rows[row]!, into, row);
      group.label[row] = labels[number]!;
      group.firstEvent[row] = firstEvents[number]!;
      group.lastSend[row] = lastSends[number]!;
      group.lastReceipt[row] = lastReceipts[number]!;
      group.lastDeposit[row] = lastDeposits[number]!;
      const holder = places[number]! - 1;
      if (holder < 0) continue;
      for (let word = 0; word < words; word++) group.balance[words * row + word] = balances[words * holder + word]!;
      group.basis[row] = basis[holder]!;
      group.since[row] = purchaseTime[holder]!;
    }
    yield* encoder.group(rows.length, group);
  }
  yield* encoder.end();
}
