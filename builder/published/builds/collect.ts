/** `soprano gc`: removes the builds and objects that find-garbage.ts finds. */

import { buildPrefix, currentKey, type Reference, removedKey } from "../../../data-schema/stored.ts";
import { Failure } from "../../lib/failure.ts";
import { listObjects } from "../../store/listing.ts";
import type { ObjectStore } from "../../store/store.ts";
import { withLease } from "../publish/collections.ts";
import { byActivation } from "./activation-times.ts";
import { collectableBuilds, type Retention, type StoredAsset, unreferencedObjects } from "./find-garbage.ts";
import { assetParts } from "./remove.ts";
import { readBuilds, readCurrent } from "./stored-builds.ts";

/** What was removed, or would be. */
export interface Collected {
  /** Ids of builds. */
  builds: string[];
  /** Series objects and checkpoints. */
  objects: Reference[];
  /** How many more builds will go once they have been inactive for long enough. */
  waiting: number;
}

/**
 * Removes builds that are no longer kept, and the objects that no other build refers to.
 *
 * The manifests go first. A build that comes meanwhile waits for the end of the collection's lease, and then looks at its
 * objects once more (publish/collections.ts). A run that ends halfway leaves no manifest without its objects; the next run
 * removes the rest.
 *
 * An asset that was removed keeps none of its builds.
 *
 * @throws {Failure} a manifest can't be read, so its objects are unknown; nothing is removed
 */
export async function collect(
  store: ObjectStore,
  symbol: string,
  { dryRun, ...retention }: Retention & { dryRun: boolean },
): Promise<Collected> {
  const removed = await removedAt(store, symbol);
  if (removed) return collectRemoved(store, symbol, removed, { dryRun, ...retention });
  if (dryRun) {
    const { stored, gone, ...found } = await findGarbage(store, symbol, retention);
    return { ...found, objects: unreferencedObjects(stored, gone, retention) };
  }
  return withLease(store, symbol, async (remove, began) => {
    // By the store's clock, as the ages of objects: if this machine's were ahead, young ones would seem old.
    const now = began && began < retention.now ? began : retention.now;
    const { stored, gone, ...found } = await findGarbage(store, symbol, { ...retention, now });
    await remove(gone.map(({ key }) => key));
    const objects = unreferencedObjects(stored, gone, { ...retention, now });
    await remove(objects.map(({ key }) => key));
    return { ...found, objects };
  });
}

/** When an asset was removed, by the store's clock; undefined if it is served. */
async function removedAt(store: ObjectStore, symbol: string): Promise<Date | undefined> {
  if (await store.get(currentKey(symbol))) return undefined;
  const mark = removedKey(symbol);
  return (await store.list(mark)).get(mark)?.uploaded;
}

/**
 * Removes the builds of an asset that was removed, and all that they need, once it has been gone for long enough. Nothing has to be
 * readable: none of it is served, and no build of the asset is activated.
 */
async function collectRemoved(
  store: ObjectStore,
  symbol: string,
  removed: Date,
  { minAge, now, dryRun }: Retention & { dryRun: boolean },
): Promise<Collected> {
  const found = async () => {
    const { builds, objects } = await assetParts(store, symbol);
    const prefix = buildPrefix(symbol);
    return { builds: builds.map(({ key }) => key.slice(prefix.length).replace(/\.json$/, "")), objects, keys: builds };
  };
  const collected = ({ builds, objects }: Awaited<ReturnType<typeof found>>, isOld: boolean): Collected =>
    isOld ? { builds, objects, waiting: 0 } : { builds: [], objects: [], waiting: builds.length };
  const isOldBy = (time: Date) => time.getTime() - removed.getTime() >= minAge;
  if (dryRun) return collected(await found(), isOldBy(now));
  return withLease(store, symbol, async (remove, began) => {
    const isOld = isOldBy(began && began < now ? began : now);
    const all = await found();
    if (isOld) await remove([...all.keys, ...all.objects].map(({ key }) => key));
    return collected(all, isOld);
  });
}

async function findGarbage(store: ObjectStore, symbol: string, retention: Retention) {
  const stored = await readStoredAsset(store, symbol);
  const gone = collectableBuilds(stored, retention);
  const builds = gone.map(({ manifest }) => manifest.build);
  const waiting = collectableBuilds(stored, { ...retention, minAge: 0 }).length - gone.length;
  return { stored, gone, builds, waiting };
}

/** Lists the objects before it reads the manifests: a manifest that comes meanwhile is not missed. */
async function readStoredAsset(store: ObjectStore, symbol: string): Promise<StoredAsset> {
  const objects = await listObjects(store, symbol);
  const builds = await readBuilds(store, symbol);
  const unreadable = builds.find(({ manifest }) => manifest === undefined);
  if (unreadable) {
    throw new Failure(
      `${unreadable.key} can't be read (${unreadable.problem}), so the objects it needs are unknown. Nothing was removed. ` +
        "Use the version of soprano that wrote it, or remove that manifest by hand.",
    );
  }
  const current = await readCurrent(store, symbol);
  const ordered = await byActivation(store, current.manifest, builds);
  const listed = (await store.list(currentKey(symbol))).get(currentKey(symbol));
  return {
    current: { manifest: current.manifest, uploaded: listed?.uploaded ?? new Date() },
    builds: ordered.map(({ key, uploaded, manifest }) => ({ key, uploaded, manifest: manifest! })),
    objects,
  };
}
