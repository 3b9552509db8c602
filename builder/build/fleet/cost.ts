/** What building an asset is expected to take: an estimate, of which only the proportions count. */

import { dirname } from "node:path";
import { currentKey } from "../../../data-schema/stored.ts";
import { type AssetFile, readAsset } from "../../input/asset/asset.ts";
import { findFiles } from "../../input/files/files.ts";
import { readManifest } from "../../published/publish/publication.ts";
import { prefetch } from "../../store/prefetch.ts";
import type { ObjectStore, StoredObject } from "../../store/store.ts";
import type { CostedAsset } from "./deal.ts";

/** What every build takes, even of nothing new, in events. */
const LEAST_COST = 20_000;

/** Bytes of an event in an input file: some 60 as Parquet, more as CSV. */
const EVENT_BYTES = 60;

/**
 * The costs of assets, in any order. A file that can't be read costs little: its build says what is wrong.
 *
 * @throws {Failure} the store can't be read
 */
export async function costsOf(files: readonly string[], store: ObjectStore): Promise<CostedAsset[]> {
  const costs: CostedAsset[] = [];
  const assets: AssetFile[] = [];
  for (const file of files) {
    const asset = await readAsset(file).catch(() => undefined);
    if (asset) assets.push(asset);
    else costs.push({ file, cost: LEAST_COST });
  }
  for await (const { item, object } of prefetch(store, assets, ({ symbol }) => currentKey(symbol))) {
    costs.push({ file: item.path, cost: LEAST_COST + (eventsAndHolders(object) ?? (await expectedEvents(item))) });
  }
  return costs;
}

/** What a full build replays, and what the next night reads and writes. */
function eventsAndHolders(active: StoredObject | undefined): number | undefined {
  const counts = active && readManifest(active).manifest?.counts;
  if (!counts) return undefined;
  const { transfers, mints, burns, holders = 0 } = counts;
  return transfers + mints + burns + holders;
}

/** Estimates the events of an asset that has not been built, by the size of its files. */
async function expectedEvents({ path, transfers }: AssetFile): Promise<number> {
  const files = await findFiles(dirname(path), transfers, "transfers").catch(() => []);
  return Math.round(files.reduce((sum, { bytes }) => sum + bytes, 0) / EVENT_BYTES);
}
