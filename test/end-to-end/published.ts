/** What a state folder holds, read without the Worker. */

import { createHash } from "node:crypto";
import { openLocalState } from "../../builder/store/local.ts";
import { type Manifest, parseManifest } from "../../data-schema/manifest.ts";
import { METRICS } from "../../data-schema/metrics.ts";
import { currentKey, seriesKey } from "../../data-schema/objects.ts";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";

export interface Published {
  /** Every object's bytes, by key. */
  objects: Map<string, Uint8Array>;
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
    return {
      objects,
      manifest(symbol) {
        const bytes = objects.get(currentKey(symbol));
        return bytes && parseManifest(new TextDecoder().decode(bytes));
      },
    };
  } finally {
    await state.close();
  }
}

/** Keys of the series that a manifest lists. */
export function listedSeries({ symbol, resolutions }: Manifest): { key: string; hash: string; rows: number }[] {
  return RESOLUTIONS.flatMap((resolution) =>
    (resolutions[resolution]?.periods ?? []).flatMap(({ name, metrics }) =>
      METRICS.flatMap((metric) => {
        const entry = metrics[metric.name];
        if (!entry || !("hash" in entry)) return [];
        const { hash, rows } = entry;
        return [{ key: seriesKey(symbol, resolution, metric.name, name, hash), hash, rows }];
      }),
    ),
  );
}

/** What is wrong with a manifest's objects: missing, or not what the manifest says. */
export function brokenSeries(published: Published, manifest: Manifest): string[] {
  return listedSeries(manifest)
    .filter(({ key, hash }) => {
      const bytes = published.objects.get(key);
      return !bytes || !createHash("sha256").update(bytes).digest("hex").startsWith(hash);
    })
    .map(({ key }) => key);
}
