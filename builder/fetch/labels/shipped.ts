/** The exchange labels that ship with Soprano. Source: docs/labels.md. */

import { readFile } from "node:fs/promises";
import { exchangeFile, LABEL_COLUMNS, type LabelRow, parseLabels } from "./label-file.ts";

export interface ShippedLabels {
  /** The chain's name, as `init` writes it. */
  chain: string;
  /** Kept in fetch.json: an asset keeps the labels it began with. */
  version: string;
  /** SHA-256 in hex of the chain's file: other labels need another version. */
  sha256: string;
}

/** The labels that ship with Soprano, by chain id. */
export const SHIPPED_LABELS: ReadonlyMap<number, ShippedLabels> = new Map([
  [
    1,
    {
      chain: "ethereum",
      version: "ethereum-2026-11-27",
      sha256: "ef71432defafbbee18025d87cde2e7e523759448399070d8d6948506b80e6d75",
    },
  ],
  [
    10,
    {
      chain: "optimism",
      version: "optimism-2026-11-27",
      sha256: "108d0e803ba3b84b1c30c0298b9cbcac3515243f86e184acfe97fbf1421bbc12",
    },
  ],
  [
    56,
    {
      chain: "bsc",
      version: "bsc-2026-11-27",
      sha256: "e9f90540ddc5e3e62604bfa5ebe204a93015a76c335542057c3de920dfb7ddbf",
    },
  ],
  [
    137,
    {
      chain: "polygon",
      version: "polygon-2026-11-27",
      sha256: "b59d52e1351672d9cc39cb0b3634838888d37480333b965fff50c0950a1d29f1",
    },
  ],
  [
    250,
    {
      chain: "fantom",
      version: "fantom-2026-11-27",
      sha256: "b6901ce0d5e6281d5aad4dc1061c4188646622e1590a535a27e33f17475d85ba",
    },
  ],
  [
    8453,
    {
      chain: "base",
      version: "base-2026-11-27",
      sha256: "ba32b14a67557c6689f265362e4195d65163ab29f095637e7aaa9108b530a6fa",
    },
  ],
  [
    42161,
    {
      chain: "arbitrum",
      version: "arbitrum-2026-11-27",
      sha256: "3ac957208b09da60a2454a81652b03656434c1f1071cf1e2ed038587f2c72e33",
    },
  ],
  [
    43114,
    {
      chain: "avalanche",
      version: "avalanche-2026-11-27",
      sha256: "5f0fbdf2ebb90dd6bd6a2deeef07d5f625e1c1fc38145067ce7379aff25ff5fb",
    },
  ],
]);

/** What fetch.json calls the labels of a chain that has none. */
export const WITHOUT_LABELS = "none";

/** The labels of a chain as CSV, and their version. */
export async function readShippedLabels(chainId: number): Promise<{ version: string; csv: string }> {
  const shipped = SHIPPED_LABELS.get(chainId);
  if (!shipped) return { version: WITHOUT_LABELS, csv: `${LABEL_COLUMNS.join(",")}\n` };
  return { version: shipped.version, csv: await readFile(placeOf(shipped.chain), "utf8") };
}

/** All labels, by the chain's name. @throws {Failure} a file is damaged */
export async function readExchanges(): Promise<Map<string, LabelRow[]>> {
  const chains = [...SHIPPED_LABELS.values()].map(async ({ chain }) => {
    return [chain, await readExchangesOf(chain)] as const;
  });
  return new Map(await Promise.all(chains));
}

/** The labels of a chain, by its name. @throws {Failure} the file is damaged */
export async function readExchangesOf(chain: string): Promise<LabelRow[]> {
  return parseLabels(exchangeFile(chain), await readFile(placeOf(chain), "utf8"));
}

const placeOf = (chain: string) => new URL(exchangeFile(chain), import.meta.url);
