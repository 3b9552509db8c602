/** What a state folder holds, read without the Worker. */

import { createHash } from "node:crypto";
import { readManifest } from "../../builder/published/publish/publication.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { withParts } from "../../builder/store/parts.ts";
import { currentKey } from "../../data-schema/stored/objects.ts";
import { listedObjects, type Manifest, parseManifest, partsOf, unplaced } from "../../data-schema/stored.ts";

export interface Published {
  /** Every object's bytes by key, and those of each part of a pack. */
  objects: Map<string, Uint8Array>;
  /** The active manifest, without the places of its parts. */
  manifest(symbol: string): Manifest | undefined;
}

export async function readPublished(persist: string): Promise<Published> {
  const state = await openLocalState(persist);
  try {
    const objects = new Map<string, Uint8Array>();
    for (const key of (await state.objects.list("")).keys()) {
      const object = await state.objects.get(key);
      if (object) objects.set(key, object.bytes);
    }
    for (const [key, bytes] of [...objects]) {
      if (!/^(builds|current)\/.*(?<!removed)\.json$/.test(key)) continue;
      const { manifest } = readManifest({ bytes, etag: "", metadata: {} });
      const parts = withParts(state.objects, manifest);
      for (const { key, at } of manifest ? partsOf(manifest) : []) {
        const part = at && (await parts.get(key));
        if (part) objects.set(key, part.bytes);
      }
    }
    return {
      objects,
      manifest(symbol) {
        const bytes = objects.get(currentKey(symbol));
        return bytes && unplaced(parseManifest(new TextDecoder().decode(bytes)));
      },
    };
  } finally {
    await state.close();
  }
}

/** The series objects of a manifest that are missing, or not what the manifest says. */
export function brokenSeries(published: Published, manifest: Manifest): string[] {
  const found = digests(published);
  return [...listedObjects(manifest)]
    .filter(({ key, entry }) => !found.get(key)?.startsWith(entry.hash))
    .map(({ key }) => key);
}

/** SHA-256 by key, of the objects whose key begins so: comparing bytes one by one takes seconds. */
export function digests({ objects }: Published, prefix = ""): Map<string, string> {
  const found = [...objects].filter(([key]) => key.startsWith(prefix));
  return new Map(found.map(([key, bytes]) => [key, createHash("sha256").update(bytes).digest("hex")]));
}
