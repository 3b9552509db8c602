/** The lists of kinds of contracts that ship with Soprano, a file a chain. Source: docs/contract-kinds.md. */

import { fileURLToPath } from "node:url";

interface ShippedKinds {
  /** A CSV file in `kinds/`: `address`, `kind`, `name`, `source`, `date`. */
  file: string;
  /** Kept in fetch.json: an asset keeps the list it began with. */
  version: string;
  /** SHA-256 in hex: another list needs another version. */
  sha256: string;
}

/** By the chain's name in ASSET.json, as `soprano init` writes it. */
export const SHIPPED_KINDS: ReadonlyMap<string, ShippedKinds> = new Map(
  Object.entries({
    ethereum: {
      file: "ethereum.csv",
      version: "ethereum-2026-11",
      sha256: "4e38be8b29911676ec3864bf42c5852b591a66beef56c1e147644e8a4190491e",
    },
    bsc: {
      file: "bsc.csv",
      version: "bsc-2026-11",
      sha256: "6a5e799595a2dbaf06d848a390b1849baa3fdb9ca22c693d4a345abb1c9c4200",
    },
    polygon: {
      file: "polygon.csv",
      version: "polygon-2026-11",
      sha256: "888c4dd14add97e96d65b8d0e1fe8d24720f56f9e845e7cfd97c9cf9e40f102f",
    },
    arbitrum: {
      file: "arbitrum.csv",
      version: "arbitrum-2026-11",
      sha256: "b6988217aba3d1d3f7057c926d1296a485226b07f187d305eea7152f80733405",
    },
    optimism: {
      file: "optimism.csv",
      version: "optimism-2026-11",
      sha256: "de268f9410e8edaf036dbca02fc9df82d508cbd2e51b9c14f301d1d0316d7856",
    },
    base: {
      file: "base.csv",
      version: "base-2026-11",
      sha256: "5de8f0310de405ee66072fbf72474dea1e9ca54bbf371605855ceebadeaf8c35",
    },
    avalanche: {
      file: "avalanche.csv",
      version: "avalanche-2026-11",
      sha256: "44b7887d9c8d452091115cf2edd6ca191f63d4b70691451ce912898c3361e995",
    },
    fantom: {
      file: "fantom.csv",
      version: "fantom-2026-11",
      sha256: "1ba94c5ade90b1fe741b71048f82bf5fb0da67e56343a8f3afb2e6c98a45fe17",
    },
  }),
);

/** Chains that no list ships for have one without rows. */
export const WITHOUT_KINDS: Pick<ShippedKinds, "file" | "version"> = { file: "none.csv", version: "none" };

/** The list of a chain: its version, its name in messages and manifests, and where it is. */
export function shippedKinds(chain: string): { version: string; name: string; path: string } {
  const { file, version } = SHIPPED_KINDS.get(chain) ?? WITHOUT_KINDS;
  return { version, name: `shipped/${file}`, path: fileURLToPath(new URL(`kinds/${file}`, import.meta.url)) };
}
