/** What the build before left behind. */

import { createHash } from "node:crypto";
import type { Manifest } from "../../data-schema/manifest.ts";
import type { MetricName } from "../../data-schema/metrics.ts";
import { checkpointKey, seriesKey } from "../../data-schema/objects.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import type { Period } from "../engine/periods.ts";
import type { CannotResume } from "../failure.ts";
import type { PublishedPoints } from "../output/append.ts";
import { references } from "../store/listing.ts";
import type { ObjectStore } from "../store/store.ts";
import { decodeCheckpoint, type StoredCheckpoint } from "./checkpoint-file.ts";

/** The active build and the checkpoint it left. */
export interface Previous extends StoredCheckpoint {
  manifest: Manifest;
  /** Whether its manifest is stored among the builds, too. A build writes it there first, but may be killed between the two. */
  isRecorded: boolean;
}

/** What is published of an asset when a build of it begins. */
export interface Published {
  store: ObjectStore;
  /** The active manifest. */
  previous: Manifest | undefined;
  /** Whether there is one that this version can't read. */
  isUnreadable: boolean;
  /** Whether an object is there. */
  holds(key: string, size: number): boolean;
  isRecorded(build: string): Promise<boolean>;
}

export async function readPrevious(published: Published): Promise<Previous | CannotResume> {
  const { store, previous: manifest, isUnreadable, holds } = published;
  if (isUnreadable) return { cannotResume: "the last build's manifest is of another version" };
  if (!manifest) return { cannotResume: "it is the first build" };
  const { symbol, checkpoint } = manifest;
  if (!checkpoint) return { cannotResume: "the last build left no checkpoint" };
  // Also of periods that nothing is added to: the next manifest lists them as they are.
  const lost = references(manifest).find(({ key, size }) => !holds(key, size));
  if (lost) return { cannotResume: `${lost.key} is missing` };
  const bytes = await readChecked(store, checkpointKey(symbol, checkpoint.hash), checkpoint.hash);
  if ("cannotResume" in bytes) return bytes;
  try {
    return { manifest, isRecorded: await published.isRecorded(manifest.build), ...decodeCheckpoint(bytes) };
  } catch {
    return { cannotResume: "the last build's checkpoint is of another version" };
  }
}

/**
 * The published objects of some metrics in a period, for new points to follow.
 *
 * @returns `CannotResume` if one is missing or damaged
 */
export async function readEarlier(
  store: ObjectStore,
  { manifest, checkpoint }: Previous,
  resolution: Resolution,
  { name }: Pick<Period, "name">,
  metrics: readonly MetricName[],
): Promise<PublishedPoints | CannotResume> {
  const published = manifest.resolutions[resolution]?.periods.find((period) => period.name === name)?.metrics;
  const objects: PublishedPoints["objects"] = {};
  const read = metrics.map(async (metric): Promise<CannotResume | undefined> => {
    const entry = published?.[metric];
    if (!entry || !("hash" in entry)) return undefined;
    const bytes = await readChecked(
      store,
      seriesKey(manifest.symbol, resolution, metric, name, entry.hash),
      entry.hash,
    );
    if ("cannotResume" in bytes) return bytes;
    objects[metric] = bytes;
    return undefined;
  });
  const [damage] = (await Promise.all(read)).filter((result) => result !== undefined);
  return damage ?? { until: checkpoint.time, objects };
}

/** An object, if it is there and its bytes have the hash that it is named by. */
async function readChecked(store: ObjectStore, key: string, hash: string): Promise<Uint8Array | CannotResume> {
  const object = await store.get(key);
  if (!object) return { cannotResume: `${key} is missing` };
  const isWhole = createHash("sha256").update(object.bytes).digest("hex").startsWith(hash);
  return isWhole ? object.bytes : { cannotResume: `${key} is damaged` };
}
