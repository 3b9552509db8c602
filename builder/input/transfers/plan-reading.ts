/** Plans the reading of an asset's transfers: how its blocks are shared out, and what was given out for snapshots. */

import type { AssetFile } from "../asset/asset.ts";
import { findClaims } from "./claims.ts";
import { planShares, type ShareOutOptions } from "./share-out.ts";
import type { Files, Reading } from "./shares/share.ts";

/** @throws {Failure} as `planShares`, and as `findClaims` */
export async function planReading(
  asset: Pick<AssetFile, "contract" | "source" | "asOf" | "decimals" | "ownDecimals" | "predecessors">,
  files: Files,
  options: ShareOutOptions,
): Promise<Reading> {
  const reading = await planShares(asset, files, options);
  const { rows, ...claims } = await findClaims(asset, files, options);
  const counts = reading.counts.map((count, index) => rows.get(index) ?? count);
  return { ...reading, counts, ...claims };
}
