/** The lists of kinds of contracts that ship with Soprano, a file a chain. Source: docs/contract-kinds.md. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { type ContractKind, KIND_NAMES } from "../../../data-schema/registry.ts";
import { Failure } from "../../lib/failure.ts";

interface ShippedKinds {
  /** What `soprano init` writes to ASSET.json; also the name of the file in `kinds/`. */
  chain: string;
  chainId: number;
  /** Kept in fetch.json: an asset keeps the list it began with. */
  version: string;
  /** SHA-256 in hex of the file: another list needs another version. */
  sha256: string;
}

export const SHIPPED_KINDS: readonly ShippedKinds[] = [
  {
    chain: "ethereum",
    chainId: 1,
    version: "ethereum-2026-11",
    sha256: "4e38be8b29911676ec3864bf42c5852b591a66beef56c1e147644e8a4190491e",
  },
  {
    chain: "bsc",
    chainId: 56,
    version: "bsc-2026-11",
    sha256: "6a5e799595a2dbaf06d848a390b1849baa3fdb9ca22c693d4a345abb1c9c4200",
  },
  {
    chain: "polygon",
    chainId: 137,
    version: "polygon-2026-11",
    sha256: "888c4dd14add97e96d65b8d0e1fe8d24720f56f9e845e7cfd97c9cf9e40f102f",
  },
  {
    chain: "arbitrum",
    chainId: 42_161,
    version: "arbitrum-2026-11",
    sha256: "b6988217aba3d1d3f7057c926d1296a485226b07f187d305eea7152f80733405",
  },
  {
    chain: "optimism",
    chainId: 10,
    version: "optimism-2026-11",
    sha256: "de268f9410e8edaf036dbca02fc9df82d508cbd2e51b9c14f301d1d0316d7856",
  },
  {
    chain: "base",
    chainId: 8_453,
    version: "base-2026-11",
    sha256: "5de8f0310de405ee66072fbf72474dea1e9ca54bbf371605855ceebadeaf8c35",
  },
  {
    chain: "avalanche",
    chainId: 43_114,
    version: "avalanche-2026-11",
    sha256: "44b7887d9c8d452091115cf2edd6ca191f63d4b70691451ce912898c3361e995",
  },
  {
    chain: "fantom",
    chainId: 250,
    version: "fantom-2026-11",
    sha256: "1ba94c5ade90b1fe741b71048f82bf5fb0da67e56343a8f3afb2e6c98a45fe17",
  },
];

/** What fetch.json calls the list of a chain that has none: a file without rows. */
export const WITHOUT_KINDS = "none";

interface KindTable {
  version: string;
  /** In messages and manifests, wherever the file lies. */
  name: string;
  path: string;
}

/** The table of a chain, by its name in ASSET.json or its id. */
export function shippedKinds(of: string | number): KindTable {
  const shipped = SHIPPED_KINDS.find(({ chain, chainId }) => chain === of || chainId === of);
  const file = `${shipped?.chain ?? WITHOUT_KINDS}.csv`;
  return {
    version: shipped?.version ?? WITHOUT_KINDS,
    name: `shipped/${file}`,
    path: fileURLToPath(new URL(`kinds/${file}`, import.meta.url)),
  };
}

/** A row of such a table. */
export interface KindRow {
  /** Lower-case. */
  address: string;
  kind: ContractKind;
  /** Without commas, as are all cells. */
  name: string;
  source: string;
  /** The source's date, such as `2026-03-22`. */
  date: string;
}

const COLUMNS = ["address", "kind", "name", "source", "date"] as const;

const row = v.object({
  address: v.pipe(v.string(), v.regex(/^0x[0-9a-f]{40}$/)),
  kind: v.picklist(KIND_NAMES),
  name: v.string(),
  source: v.string(),
  date: v.pipe(v.string(), v.isoDate()),
});

/** @throws {Failure} the table is damaged */
export async function readKinds(path: string): Promise<KindRow[]> {
  const lines = (await readFile(path, "utf8")).trimEnd().split(/\r?\n/);
  if (lines[0] !== COLUMNS.join())
    throw new Failure(`${path} is no table of kinds: its header is not ${COLUMNS.join()}.`);
  return lines.slice(1).map((line, index) => {
    const cells = line.split(",");
    const result = v.safeParse(row, Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i]])));
    if (!result.success)
      throw new Failure(`${path}, row ${index + 2}: is no row of a table of kinds; restore the file.`);
    return result.output;
  });
}

export function formatKinds(rows: readonly KindRow[]): string {
  return `${[COLUMNS.join(), ...rows.map((row) => COLUMNS.map((name) => row[name]).join())].join("\n")}\n`;
}

/** In the order of a table: by address, and then by kind. */
export const inKindOrder = (a: KindRow, b: KindRow): number =>
  `${a.address} ${a.kind}` < `${b.address} ${b.kind}` ? -1 : 1;
