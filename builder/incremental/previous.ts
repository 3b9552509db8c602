/** What the build before left behind. */

import { createHash } from "node:crypto";
import type { Manifest } from "../../data-schema/manifest.ts";
import type { MetricName } from "../../data-schema/metrics.ts";
import { checkpointKey, seriesKey } from "../../data-schema/objects.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import type { Period } from "../engine/periods.ts";
import type { Earlier } from "../output/follow.ts";
import { references } from "../store/listing.ts";
import type { ObjectStore } from "../store/store.ts";
import { decodeCheckpoint, type StoredCheckpoint } from "./checkpoint-file.ts";
import { StartOver } from "./start-over.ts";

/** A published build and the checkpoint it left. */
export interface Previous extends StoredCheckpoint {
  manifest: Manifest;
}

/** What is published of an asset when a build of it begins. */
export interface Published {
  store: ObjectStore;
  /** The manifest in force. */
  previous: Manifest | undefined;
  /** Whether there is one that this version can't read. */
  isUnreadable: boolean;
  /** Whether an object is there. */
  holds(key: string, size: number): boolean;
}

/** @throws {StartOver} there is nothing to go on from, or not all of it */
export async function readPrevious({ store, previous, isUnreadable, holds }: Published): Promise<Previous> {
  if (isUnreadable) throw new StartOver("the last build's manifest is of another version");
  if (!previous) throw new StartOver("there is no build before it");
  const { symbol, checkpoint } = previous;
  if (!checkpoint) throw new StartOver("the last build left no checkpoint");
  // Also of periods that nothing is added to: the next manifest lists them as they are.
  const lost = references(previous).find(({ key, size }) => !holds(key, size));
  if (lost) throw new StartOver(`${lost.key} is missing`);
  const bytes = await readWhole(store, checkpointKey(symbol, checkpoint.hash), checkpoint.hash);
  try {
    return { manifest: previous, ...decodeCheckpoint(bytes) };
  } catch {
    throw new StartOver("the last build's checkpoint is of another version");
  }
}

/**
 * The published objects of some metrics in a period, for new points to follow.
 *
 * @throws {StartOver} one is missing or damaged
 */
export async function readEarlier(
  store: ObjectStore,
  { manifest, checkpoint }: Previous,
  resolution: Resolution,
  { name }: Pick<Period, "name">,
  metrics: readonly MetricName[],
): Promise<Earlier> {
  const published = manifest.resolutions[resolution]?.periods.find((period) => period.name === name)?.metrics;
  const objects: Earlier["objects"] = {};
  await Promise.all(
    metrics.map(async (metric) => {
      const entry = published?.[metric];
      if (!entry || !("hash" in entry)) return;
      const key = seriesKey(manifest.symbol, resolution, metric, name, entry.hash);
      objects[metric] = await readWhole(store, key, entry.hash);
    }),
  );
  return { until: checkpoint.time, objects };
}

async function readWhole(store: ObjectStore, key: string, hash: string): Promise<Uint8Array> {
  const object = await store.get(key);
  if (!object) throw new StartOver(`${key} is missing`);
  if (!createHash("sha256").update(object.bytes).digest("hex").startsWith(hash))
    throw new StartOver(`${key} is damaged`);
  return object.bytes;
}
