import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UpdatedPrices } from "../../../builder/fetch/prices/update.ts";

/** What a fetch does with an update once everything else is done. */
export async function putIntoPlace(updated: UpdatedPrices, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (updated.csv !== undefined) writeFileSync(join(folder, "prices.csv"), updated.csv);
  await updated.clear();
}
