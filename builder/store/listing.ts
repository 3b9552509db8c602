/** The objects that an asset's manifests refer to, and whether the store's listing has them. */

import {
  checkpointPrefix,
  holdersPrefix,
  packsPrefix,
  type Reference,
  seriesPrefix,
  transfersPrefix,
} from "../../data-schema/stored.ts";
import type { ObjectStore, StoredKey } from "./store.ts";

/** Every object that a manifest of an asset may refer to, by key. */
export async function listObjects(store: ObjectStore, symbol: string): Promise<Map<string, StoredKey>> {
  const prefixes = [packsPrefix, seriesPrefix, checkpointPrefix, holdersPrefix, transfersPrefix];
  const lists = prefixes.map((prefixOf) => store.list(prefixOf(symbol)));
  return new Map((await Promise.all(lists)).flatMap((list) => [...list]));
}

/**
 * A sentence for each object that is missing or damaged.
 *
 * @param md5s hex MD5s by key, of objects where it is known
 */
export function listingProblems(
  expected: readonly Reference[],
  listing: ReadonlyMap<string, StoredKey>,
  md5s: ReadonlyMap<string, string> = new Map(),
): string[] {
  return expected.flatMap(({ key, size }) => {
    const found = listing.get(key);
    if (!found) return [`${key} is missing.`];
    if (found.size !== size) return [`${key} has ${found.size} bytes, but the manifest lists ${size}.`];
    const md5 = md5s.get(key);
    return md5 === undefined || md5 === found.md5
      ? []
      : [`${key} is damaged: its checksum is not that of the bytes that were written.`];
  });
}
