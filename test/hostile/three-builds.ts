/** Three builds of a small token, to be published again and again without computing them. */

import { rmSync } from "node:fs";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import type { Resolution } from "../../data-schema/registry/resolutions.ts";
import { type Manifest, references } from "../../data-schema/stored.ts";
import { runBuild } from "../build/checkpoint/nights.ts";
import { newFolder } from "../folders.ts";
import { BUILT } from "../published/publish/built.ts";
import { publishMade } from "../published/publish/publish-made.ts";
import { manifestIn, variant } from "../published/verify/published.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { unpack, unpacked } from "../store/unpacked.ts";

const AS_OF = ["2025-11-01", "2025-12-01", "2025-12-20"];

/** A build and all of its objects. */
export interface MadeBuild {
  manifest: Manifest;
  /** Bytes by key. */
  objects: ReadonlyMap<string, Uint8Array>;
}

/** Builds a token as of three days. */
export async function threeBuilds(symbol: string, resolutions: readonly Resolution[]): Promise<MadeBuild[]> {
  const folder = newFolder();
  try {
    const { assetPath } = await simulate({ out: folder, seed: 11, transfers: 1_000, days: 90, symbol });
    const builds: MadeBuild[] = [];
    for (const day of AS_OF) {
      const store = new MemoryStore();
      await runBuild(store, variant(assetPath, `${day}.json`, { resolutions, asOf: `${day}T00:00:00Z` }));
      await unpack(store);
      const objects = Array.from(store.objects, ([key, { bytes }]): [string, Uint8Array] => [key, bytes]);
      builds.push({ manifest: manifestIn(store, symbol), objects: new Map(objects) });
    }
    return builds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Publishes a build as `soprano build` does. */
export const publish = (store: ObjectStore, { manifest, objects }: MadeBuild): Promise<void> =>
  publishMade(store, manifest, (key) => objects.get(key)!, BUILT);

/** The objects of a build that are missing, or not what they were when it was made. */
export async function brokenObjects(store: MemoryStore, build: MadeBuild): Promise<string[]> {
  const { objects } = await unpacked(store);
  const isWhole = (key: string) => {
    const stored = objects.get(key);
    return stored !== undefined && Buffer.compare(stored.bytes, build.objects.get(key)!) === 0;
  };
  return references(build.manifest).flatMap(({ key }) => (isWhole(key) ? [] : [key]));
}
