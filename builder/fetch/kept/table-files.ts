/** The tables beside the transfers: prices.csv, contracts.csv, exchanges.csv and kinds.csv. `fetch` alone writes them (commit.ts). */

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AssetFile } from "../../input/asset/asset.ts";
import { isOwnPrices, type Source } from "../../input/asset/source.ts";
import { type Fetched, TABLES, type TableRole } from "../../input/fetched/fetched.ts";
import { digestFile } from "../../input/files/files.ts";
import { Failure } from "../../lib/failure.ts";

const ROLES = Object.keys(TABLES) as TableRole[];

/** An asset that has a source. */
type FetchedAsset = Pick<AssetFile, "cohorts"> & { source: Source };

/** The tables that a fetch of an asset keeps; the others are not there, or the user's own. */
function rolesOf({ source: { prices, labels }, cohorts = [] }: FetchedAsset): TableRole[] {
  const isKept: Record<TableRole, boolean> = {
    prices: prices !== undefined && !isOwnPrices(prices),
    contracts: true,
    labels: labels !== "none",
    kinds: cohorts.some(({ kind }) => kind !== undefined),
  };
  return ROLES.filter((role) => isKept[role]);
}

/** A table that is not what `fetch` has written. */
export interface DamagedTable {
  role: TableRole;
  isMissing: boolean;
}

/** Compares the tables with what `fetch` has written: those that have been edited, or have lost rows. */
export async function damagedTables(
  folder: string,
  asset: FetchedAsset,
  { tables = {} }: Pick<Fetched, "tables">,
): Promise<DamagedTable[]> {
  const damaged: DamagedTable[] = [];
  for (const role of rolesOf(asset)) {
    const wanted = tables[role];
    if (wanted === undefined) continue;
    const found = await digestFile(join(folder, TABLES[role])).catch((error: unknown) => {
      if (error instanceof Failure) throw error;
      return undefined;
    });
    if (found?.sha256 !== wanted) damaged.push({ role, isMissing: found === undefined });
  }
  return damaged;
}

/** The digests of all tables after a fetch, for fetch.json. */
export function tableDigests(
  asset: FetchedAsset,
  { tables = {} }: Pick<Fetched, "tables">,
  staged: Partial<Record<TableRole, string | undefined>>,
): NonNullable<Fetched["tables"]> {
  const digests = rolesOf(asset).flatMap((role) => {
    const csv = staged[role];
    const digest = csv === undefined ? tables[role] : createHash("sha256").update(csv).digest("hex");
    return digest === undefined ? [] : [[role, digest]];
  });
  return Object.fromEntries(digests);
}
