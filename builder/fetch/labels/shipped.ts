/** The exchange labels that ship with Soprano. Source: builder/fetch/labels/README.md. */

import { readFile } from "node:fs/promises";

export interface ShippedLabels {
  /** Kept in fetch.json: an asset keeps the labels it began with. */
  version: string;
  /** A CSV file in this folder, with the columns `address`, `exchange` and `source`. */
  file: string;
  /** SHA-256 in hex: other labels need another version. */
  sha256: string;
}

/** The labels that ship with Soprano, by chain id. */
export const SHIPPED_LABELS: ReadonlyMap<number, ShippedLabels> = new Map([
  [
    1,
    {
      version: "ethereum-2026-11",
      file: "ethereum.csv",
      sha256: "f8e8072dbbdd75e5e836349cd6fb50a737fbd8e4a5a61b300ea115e2c00affd4",
    },
  ],
]);

/** What fetch.json calls the labels of a chain that has none. */
export const WITHOUT_LABELS = "none";

/** The labels of a chain as CSV, and their version. */
export async function readShippedLabels(chainId: number): Promise<{ version: string; csv: string }> {
  const shipped = SHIPPED_LABELS.get(chainId);
  if (!shipped) return { version: WITHOUT_LABELS, csv: "address,exchange,source\n" };
  return { version: shipped.version, csv: await readFile(new URL(shipped.file, import.meta.url), "utf8") };
}
