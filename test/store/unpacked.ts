/** A store whose packs have been taken apart: each part is an object of its own, as builds of 0.5 and before have put it. */

import { readManifest } from "../../builder/published/publish/publication.ts";
import { withParts } from "../../builder/store/parts.ts";
import type { ObjectStore, StoredObject } from "../../builder/store/store.ts";
import { sha256Hex } from "../../builder/store/stored-content.ts";
import { BUILDS_PREFIX, CURRENT_PREFIX } from "../../data-schema/stored/objects.ts";
import { partsOf, unplaced } from "../../data-schema/stored.ts";
import { MemoryStore } from "./memory-store.ts";

/** Takes the packs of a store apart. All else keeps its metadata and its times. */
export async function unpack(store: MemoryStore): Promise<void> {
  const keys = [...store.objects.keys()];
  for (const key of keys.filter((key) => key.startsWith(BUILDS_PREFIX) || key.startsWith(CURRENT_PREFIX))) {
    const object = store.objects.get(key)!;
    const { manifest } = readManifest(object);
    if (!manifest) continue;
    const parts = withParts(store, manifest);
    for (const { key, at } of partsOf(manifest)) {
      const part = at && (await parts.get(key));
      if (part) await store.put(key, part.bytes, { contentType: "", sha256: sha256Hex(part.bytes) });
    }
    await store.write(key, unplaced(manifest));
    store.objects.get(key)!.uploaded = object.uploaded;
  }
  await store.delete(keys.filter((key) => key.startsWith("packs/")));
}

/** A copy of a store whose packs have been taken apart. */
export async function unpacked(store: MemoryStore): Promise<MemoryStore> {
  const copy = new MemoryStore();
  copy.now = store.now;
  for (const [key, object] of store.objects) copy.objects.set(key, object);
  await unpack(copy);
  return copy;
}

/** The manifests of a store's builds, as long as the active one is the same. */
const known = new WeakMap<ObjectStore, { active: string; parts: ObjectStore }>();

/** Reads an object, or a part that a build has in a pack, by its key. */
export async function partIn(store: ObjectStore, key: string): Promise<StoredObject | undefined> {
  const [, symbol = ""] = key.split("/");
  const active = `${symbol} ${(await store.get(`${CURRENT_PREFIX}${symbol}.json`))?.etag}`;
  if (known.get(store)?.active !== active) {
    const builds = await store.list(`${BUILDS_PREFIX}${symbol}/`);
    const objects = await Promise.all(
      [...builds.keys(), `${CURRENT_PREFIX}${symbol}.json`].map((key) => store.get(key)),
    );
    const manifests = objects.map((object) => object && readManifest(object).manifest);
    known.set(store, { active, parts: withParts(store, ...manifests) });
  }
  return known.get(store)!.parts.get(key);
}
