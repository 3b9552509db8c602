/** What a source says of a contract, and the eight chains that lists are made for. */

import type { ContractKind } from "../../../../../data-schema/registry.ts";
import type { KindRow } from "../../shipped-kinds.ts";

/** A row of a chain's table. */
export interface Found extends KindRow {
  chain: KindChain;
}

/** How the sources name each chain. */
export const KIND_CHAINS = {
  ethereum: { aave: "Ethereum", beefy: "ethereum" },
  bsc: { aave: "BNB", beefy: "bsc" },
  polygon: { aave: "Polygon", beefy: "polygon" },
  arbitrum: { aave: "Arbitrum", beefy: "arbitrum" },
  optimism: { aave: "Optimism", beefy: "optimism" },
  base: { aave: "Base", beefy: "base" },
  avalanche: { aave: "Avalanche", beefy: "avax" },
  fantom: { aave: "Fantom", beefy: "fantom" },
} as const;

export type KindChain = keyof typeof KIND_CHAINS;
export const CHAIN_NAMES = Object.keys(KIND_CHAINS) as KindChain[];

/** A rule that tells kinds by names: the first whose pattern fits counts. */
export type KindRule = readonly [pattern: RegExp, kind: ContractKind];

export const kindBy = (rules: readonly KindRule[], name: string): ContractKind | undefined =>
  rules.find(([pattern]) => pattern.test(name))?.[1];
