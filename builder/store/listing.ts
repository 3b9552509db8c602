/** What the manifests of an asset refer to, and whether it is there, by the store's listing alone. */

import { listedSeries, type Manifest } from "../../data-schema/manifest.ts";
import { checkpointKey, checkpointPrefix, seriesPrefix } from "../../data-schema/objects.ts";
import type { ListedObject, ObjectStore } from "./store.ts";

/** An object that a manifest refers to. */
export interface Reference {
  key: string;
  size: number;
}

/** The series objects of a manifest: what readers need. */
export function seriesReferences(manifest: Manifest): Reference[] {
  return [...listedSeries(manifest)].map(({ key, entry: { size } }) => ({ key, size }));
}

/** Everything that a manifest refers to: the series, and what the next build goes on from. */
export function references(manifest: Manifest): Reference[] {
  const { symbol, checkpoint } = manifest;
  const own = checkpoint ? [{ key: checkpointKey(symbol, checkpoint.hash), size: checkpoint.size }] : [];
  return [...seriesReferences(manifest), ...own];
}

/** Everything that manifests of an asset may refer to, by key. */
export async function listObjects(store: ObjectStore, symbol: string): Promise<Map<string, ListedObject>> {
  const lists = [seriesPrefix(symbol), checkpointPrefix(symbol)].map((prefix) => store.list(prefix));
  return new Map((await Promise.all(lists)).flatMap((list) => [...list]));
}

/**
 * A sentence for each object that is missing, or other than it should be.
 *
 * @param md5s what is known of some objects' bytes: hex MD5 by key
 */
export function listingProblems(
  expected: readonly Reference[],
  listing: ReadonlyMap<string, ListedObject>,
  md5s: ReadonlyMap<string, string> = new Map(),
): string[] {
  return expected.flatMap(({ key, size }) => {
    const found = listing.get(key);
    if (!found) return [`${key} is missing.`];
    if (found.size !== size) return [`${key} has ${found.size} bytes, and ${size} by the manifest.`];
    const md5 = md5s.get(key);
    return md5 === undefined || md5 === found.md5 ? [] : [`${key} is damaged: its checksum is not what was written.`];
  });
}
