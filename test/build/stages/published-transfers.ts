/** Reads the largest transfers that a build has published, as a reader does. */

import { decodeLargeTransfers, transferAt, transferValues } from "../../../data-schema/stored/large-transfer-rows.ts";
import { largeTransfersKey, type TransferValues } from "../../../data-schema/stored/large-transfers.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { partIn } from "../../store/unpacked.ts";

export async function publishedTransfers(store: MemoryStore, manifest: Manifest): Promise<TransferValues[]> {
  const { symbol, decimals, transfers } = manifest;
  const months = transfers!.largest.map(async ({ name, hash }) => {
    const columns = decodeLargeTransfers((await partIn(store, largeTransfersKey(symbol, name, hash)))!.bytes);
    return Array.from({ length: columns.rows }, (_, row) => transferValues(transferAt(columns, row), decimals));
  });
  return (await Promise.all(months)).flat();
}
