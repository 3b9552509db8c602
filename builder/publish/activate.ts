/** Activates a manifest: the one write that readers see. */

import { createHash } from "node:crypto";
import { catalogEntry, type Manifest } from "../../data-schema/manifest.ts";
import { buildKey, currentKey } from "../../data-schema/objects.ts";
import type { ObjectStore } from "../store/store.ts";

/** Etags of the objects to replace; null where there must be none. */
export interface Replaces {
  current: string | null;
  /** Of the build's own manifest; left out, it is replaced whatever it is. */
  build?: string | null;
}

/**
 * Writes a build's manifest, and then makes it the active one. A rollback writes the manifest again, so the time of a
 * manifest under `builds/` is when its build was last activated.
 *
 * @param bytes the manifest as JSON
 * @returns false: something else was written meanwhile, and the active manifest stays
 */
export async function activate(
  store: ObjectStore,
  manifest: Manifest,
  bytes: Uint8Array,
  replaces: Replaces,
): Promise<boolean> {
  const { symbol, build } = manifest;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const options = { contentType: "application/json", sha256 };
  const put = await store.put(buildKey(symbol, build), bytes, {
    ...options,
    ...(replaces.build === undefined ? {} : { replaces: replaces.build }),
  });
  if (!put) return false;
  return store.put(currentKey(symbol), bytes, {
    ...options,
    metadata: { catalog: JSON.stringify(catalogEntry(manifest)) },
    replaces: replaces.current,
  });
}
