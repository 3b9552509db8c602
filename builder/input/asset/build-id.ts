/** The identity of a build. */

import { createHash } from "node:crypto";
import { SCHEMA_VERSION } from "../../../data-schema/parquet.ts";
import { ENGINE_VERSION } from "../../engine/formulas.ts";
import type { AssetFile } from "./asset.ts";
import { migrationRule } from "./predecessors.ts";

/**
 * 16 hex digits from everything that the build's content depends on. No clock is part of it.
 *
 * @param asOf Unix seconds
 */
export function computeBuildId(
  asset: AssetFile,
  asOf: number,
  files: readonly { role: string; sha256: string }[],
): string {
  const { symbol, name, chain, contract, decimals, maxSupply, resolutions, columns, priceStamp, lots } = asset;
  const predecessors = asset.predecessors?.map(migrationRule);
  const kinds = asset.cohorts?.flatMap(({ kind }) => kind ?? []).sort();
  const identity = JSON.stringify([
    SCHEMA_VERSION,
    ENGINE_VERSION,
    // JSON leaves out what ASSET.json does not say.
    {
      symbol,
      name,
      chain,
      contract,
      decimals,
      maxSupply,
      resolutions,
      asOf,
      columns,
      priceStamp,
      ...(kinds?.length && { kinds }),
      predecessors,
      lots,
    },
    files.map(({ role, sha256 }) => `${role}:${sha256}`),
  ]);
  return createHash("sha256").update(identity).digest("hex").slice(0, 16);
}
