/** Who has held the token by the close of the last day, of one partition: in ascending order of the addresses. */

import type { Codec } from "../../../data-schema/parquet.ts";
import type { HoldersOfPartition } from "../../engine/replay.ts";
import { copyAddress, wordsOf } from "../../input/address-order.ts";
import { TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { emptyKept } from "../checkpoint/checkpoint-rows.ts";
import { held } from "../left/layouts.ts";
import type { OrderedAddresses, PartitionAddresses } from "./partition-addresses.ts";

/** Rows of a row group: a group of each partition is in memory when they are merged. */
const GROUP_ROWS = 16_384;

/** The numbers of the addresses that have held the token, in ascending order of the addresses: each has received it. */
export const closingNumbers = ({ order }: OrderedAddresses, { lastReceipts }: HoldersOfPartition): Uint32Array =>
  placesWhere(order, (number) => lastReceipts[number]! >= 0).map((place) => order[place]!);

/**
 * Every address with an event has received the token.
 *
 * @param holders with even ids: twice the numbers of the addresses
 */
export function* encodeClosing(
  { labels }: PartitionAddresses,
  { bytes, order }: OrderedAddresses,
  { ids, words, balances, basis, purchaseTime, lastReceipts, ...others }: HoldersOfPartition,
  codec: Codec,
): Generator<Uint8Array> {
  const seen = placesWhere(order, (number) => lastReceipts[number]! >= 0);
  const addressWords = wordsOf(bytes);
  /** Where an address is among the holders, plus 1, by its number. */
  const places = new Uint32Array(lastReceipts.length);
  ids.forEach((id, i) => {
    places[id / 2] = i + 1;
  });
  const encoder = new TableEncoder(held(words), codec);
  for (let begin = 0; begin < seen.length; begin += GROUP_ROWS) {
    const rows = seen.subarray(begin, begin + GROUP_ROWS);
    const group = {
      address: new Uint8Array(ADDRESS_BYTES * rows.length),
      label: new Uint8Array(rows.length),
      balance: new Uint32Array(words * rows.length),
      ...emptyKept(rows.length),
    };
    const into = wordsOf(group.address);
    for (let row = 0; row < rows.length; row++) {
      const number = order[rows[row]!]!;
      copyAddress(addressWords, rows[row]!, into, row);
      group.label[row] = labels[number]!;
      group.firstEvent[row] = others.firstEvents[number]!;
      group.lastSend[row] = others.lastSends[number]!;
      group.lastReceipt[row] = lastReceipts[number]!;
      group.realised[row] = others.realised[number]!;
      group.sent[row] = others.sent[number]!;
      group.receipts[row] = others.receipts[number]!;
      group.sends[row] = others.sends[number]!;
      group.lastDeposit[row] = others.lastDeposits[number]!;
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

/** The places of the numbers for which something holds, ascending. */
function placesWhere(numbers: Uint32Array, holds: (number: number) => boolean): Uint32Array {
  const places = new Uint32Array(numbers.length);
  let count = 0;
  for (let place = 0; place < numbers.length; place++) if (holds(numbers[place]!)) places[count++] = place;
  return places.subarray(0, count);
}
