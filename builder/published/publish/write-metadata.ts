/**
 * The custom metadata of an asset's objects: who lacks it, as in a bucket that was copied without, and writing it again. All
 * of it follows from the bytes, but that of the active manifest, which its activation writes. Source: docs/formats.md#metadata.
 */

import {
  buildPrefix,
  buildSummary,
  type ChangeEntry,
  changePrefix,
  changeSummary,
  currentKey,
  hashIn,
  knownPrefix,
  lackingIn,
  listedObjects,
  type Manifest,
  METADATA,
  type MetadataName,
  packsPrefix,
  parseChangeEntry,
  parseManifest,
  SHA256_METADATA,
  seriesPrefix,
} from "../../../data-schema/stored.ts";
import { prefetchEach } from "../../store/prefetch.ts";
import type { ObjectStore, StoredObject } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { Uploads } from "../../store/uploads.ts";
import { parsedObject } from "../read/readable.ts";

/** By what names end with. */
export const CONTENT_TYPES = {
  ".parquet": "application/vnd.apache.parquet",
  ".pack": "application/octet-stream",
  ".json": "application/json",
};

/** The custom metadata of a build's manifest under `builds/`. */
export const buildMetadata = (manifest: Manifest) => ({ build: JSON.stringify(buildSummary(manifest)) });
/** The custom metadata of an entry of the log of changes. */
export const changeMetadata = (entry: ChangeEntry) => ({ change: JSON.stringify(changeSummary(entry)) });

/** Reads what an object carries: its first byte comes with it. */
const metadataOf = async (store: ObjectStore, key: string) =>
  (await store.get(key, { offset: 0, length: 1 }))?.metadata;

/**
 * The objects of an asset that lack metadata: of all its builds, since each can be read and rolled back to.
 *
 * @param store the bucket itself: one with the parts of a build has those in place of single objects of the same keys
 */
export async function* lackingMetadata(
  store: ObjectStore,
  symbol: string,
): AsyncGenerator<{ key: string; size: number; names: MetadataName[] }> {
  const prefixes = [currentKey, buildPrefix, changePrefix, packsPrefix, seriesPrefix, knownPrefix].map((of) =>
    of(symbol),
  );
  const listed = (await Promise.all(prefixes.map((prefix) => store.list(prefix)))).flatMap((list) => [...list]);
  const objects = listed
    .map(([key, { size }]) => ({ key, size }))
    .filter(({ key, size }) => size > 0 && lackingIn(key, {}).length > 0);
  const first = { offset: 0, length: 1 };
  for await (const { item, object } of prefetchEach(objects, ({ key }) => store.get(key, first))) {
    const names = object ? lackingIn(item.key, object.metadata) : [];
    if (names.length > 0) yield { ...item, names };
  }
}

/**
 * Whether a bucket was copied without metadata: the active manifest tells, or, where a build has activated another one
 * since, an object of a period that ended long ago.
 */
export async function hasLostMetadata(
  store: ObjectStore,
  current: StoredObject | undefined,
  active: Manifest | undefined,
): Promise<boolean> {
  if (!current || !active) return false;
  if (METADATA.catalog.read(current.metadata.catalog, currentKey(active.symbol)) === undefined) return true;
  const [oldest] = [...listedObjects(active)].sort((a, b) => a.period.to - b.period.to);
  if (!oldest) return false;
  const { key } = oldest.pack ?? oldest;
  const metadata = await metadataOf(store, key);
  return metadata !== undefined && lackingIn(key, metadata).length > 0;
}

/**
 * Writes the objects again that lack metadata, but for the active manifest. Damaged ones stay as they are.
 *
 * @param store as in `lackingMetadata`
 * @returns how many were written
 */
export async function mendMetadata(store: ObjectStore, symbol: string): Promise<number> {
  const uploads = new Uploads();
  let mended = 0;
  for await (const { key, size } of lackingMetadata(store, symbol)) {
    if (key === currentKey(symbol)) continue;
    await uploads.add(size, async () => {
      const object = await store.get(key);
      const metadata = parsedObject(object, (bytes) => remade(key, bytes));
      if (!object || !metadata) return;
      const { bytes, etag } = object;
      const contentType = CONTENT_TYPES[key.slice(key.lastIndexOf(".")) as keyof typeof CONTENT_TYPES];
      // A garbage collection may have removed it meanwhile: then it stays so.
      if (await store.put(key, bytes, { contentType, sha256: sha256Hex(bytes), metadata, replaces: etag })) mended++;
    });
  }
  await uploads.end();
  return mended;
}

/** What an object of these bytes carries. @throws {Error} they are damaged, or of another version */
function remade(key: string, bytes: Uint8Array): Record<string, string> {
  if (METADATA[SHA256_METADATA].of(key)) {
    if (!sha256Hex(bytes).startsWith(hashIn(key))) throw new Error("other bytes");
    return {};
  }
  const text = new TextDecoder().decode(bytes);
  return METADATA.build.of(key) ? buildMetadata(parseManifest(text)) : changeMetadata(parseChangeEntry(text));
}
