/** Putting a manifest in force: the one write that readers see. */

import { createHash } from "node:crypto";
import { catalogEntry, type Manifest } from "../../data-schema/manifest.ts";
import { buildKey, currentKey } from "../../data-schema/objects.ts";
import type { ObjectStore } from "../store/store.ts";

/** Etags of what is there; null where nothing is. */
export interface Replaces {
  current: string | null;
  /** Of the build's own manifest, when it was read; undefined: whatever it is. */
  build?: string | null;
}

/**
 * Writes a build's manifest, and then puts it in force. Also of a build that is there already: so the time of its
 * manifest under `builds/` is when it was put in force last.
 *
 * @param bytes the manifest as JSON
 * @returns false: another one has been put in force meanwhile, or the same build made at the same time, and stays
 */
export async function putInForce(
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
