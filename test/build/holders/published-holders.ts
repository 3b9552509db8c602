/** Reads what a build has published of holders, as a reader does. */

import {
  addressText,
  decodeHolders,
  decodeLargest,
  holderValues,
  parseTableIndex,
  rawAt,
  tokensOfRaw,
} from "../../../data-schema/holders.ts";
import type { HolderValues } from "../../../data-schema/stored/holders/holder-columns.ts";
import { largestKey } from "../../../data-schema/stored/holders/holder-objects.ts";
import { checkpointKey } from "../../../data-schema/stored/objects.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { partIn } from "../../store/unpacked.ts";

/** Every holder, by address. */
export async function publishedHolders(store: MemoryStore, manifest: Manifest): Promise<HolderValues[]> {
  const { holders, decimals, symbol, checkpoint } = manifest;
  const bytes = (await store.get(checkpointKey(symbol, checkpoint!.hash)))!.bytes;
  const { offset, length } = holders!.index;
  const context = { ...holders!, decimals, supply: tokensOfRaw(BigInt(holders!.supply), decimals) };
  return parseTableIndex(bytes.subarray(offset, offset + length)).groups.flatMap((group) => {
    const columns = decodeHolders(bytes.subarray(group.offset, group.offset + group.length));
    return Array.from({ length: columns.rows }, (_, row) => holderValues(columns, row, context));
  });
}

/** The largest by day. */
export async function publishedLargest(store: MemoryStore, { holders, symbol }: Manifest) {
  const days = new Map<number, { address: string; q: bigint }[]>();
  const supplies = new Map<number, bigint>();
  for (const { name, hash } of holders!.largest) {
    const columns = decodeLargest((await partIn(store, largestKey(symbol, name, hash)))!.bytes);
    for (let row = 0; row < columns.rows; row++) {
      const day = columns.day[row]!;
      const one = { address: addressText(columns.address, row), q: rawAt(columns.balance, row, columns.words) };
      days.set(day, [...(days.get(day) ?? []), one]);
      supplies.set(day, rawAt(columns.supply, row, columns.supplyWords));
    }
  }
  return { days, supplies };
}
