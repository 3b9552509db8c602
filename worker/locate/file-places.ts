/** Where a file may lie: in a pack, as the manifest of a build says, or as an object of its own. */

import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import { isDistribution, isLotDistribution } from "../../data-schema/registry.ts";
import {
  buildPrefix,
  distributionIn,
  listedOf,
  type Manifest,
  type ManifestObject,
  namePart,
  type TableOf,
} from "../../data-schema/stored.ts";
import type { FilePlace } from "../bucket/stream-file.ts";
import type { Context } from "../context.ts";
import { type FilePath, fileKey } from "../request/file-path.ts";
import { ignoreDamage } from "./kept-builds.ts";
import { listObjects } from "./listed-assets.ts";
import { readBuild } from "./locate.ts";

/** Manifests that are read for a file that is neither in the active build nor an object of its own: of the newest builds. */
const MOST_SEARCHED = 10;

/**
 * The places in which a file may be, the likeliest first. Whoever has found it asks for no more.
 *
 * @param active the manifest of the active build; null if it cannot be read
 * @throws {Problem} 503 the store is out of reach
 */
export async function* filePlaces(
  symbol: string,
  path: FilePath,
  active: Manifest | null,
  context: Context,
): AsyncGenerator<FilePlace> {
  if (!SYMBOL_PATTERN.test(symbol)) return;
  const inActive = active && packedIn(active, path);
  if (inActive) yield inActive;
  yield { key: fileKey(symbol, path), hash: path.hash };
  for (const build of await newestBuilds(symbol, context)) {
    if (build === active?.build) continue;
    const manifest = await readBuild(symbol, build, context).catch(ignoreDamage);
    const place = manifest && packedIn(manifest, path);
    if (place) yield place;
  }
}

/** The object of a manifest that has the metric and period of a file, if there is one: the file, or its successor. */
export function sameFile(manifest: Manifest, { resolution, metric, period }: FilePath): ManifestObject | undefined {
  const ofPeriod = ({ name }: { name: string }) => name === period;
  if (isDistribution(metric) || isLotDistribution(metric)) {
    const years = resolution in (manifest.distributions ?? {}) ? manifest.distributions! : undefined;
    const year = years?.[resolution as keyof typeof years].find(ofPeriod);
    return year && distributionIn(manifest, resolution, metric, year)[0];
  }
  const found = manifest.resolutions[resolution]?.periods.find(ofPeriod);
  return found && listedOf(manifest, resolution, metric as TableOf, found)[0];
}

function packedIn(manifest: Manifest, path: FilePath): FilePlace | undefined {
  const { key, entry, pack } = sameFile(manifest, path) ?? {};
  if (!pack || namePart(entry!.hash) !== path.hash) return undefined;
  return { key: key!, hash: path.hash, packed: { pack, size: entry!.size } };
}

async function newestBuilds(symbol: string, context: Context): Promise<string[]> {
  const prefix = buildPrefix(symbol);
  const builds: { build: string; uploaded: Date }[] = [];
  for await (const { key, uploaded } of listObjects(prefix, context)) {
    builds.push({ build: key.slice(prefix.length, -".json".length), uploaded });
  }
  builds.sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime());
  return builds.slice(0, MOST_SEARCHED).map(({ build }) => build);
}
