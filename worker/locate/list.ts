/** The published assets, from one list call. */

import { parseCatalogEntry } from "../../data-schema/manifest.ts";
import { CURRENT_PREFIX } from "../../data-schema/objects.ts";
import type { Context } from "../context.ts";
import type { ListedAsset } from "../isolate.ts";
import { storeUnavailable } from "../problems/problem.ts";

/** How long a list is served before the store is asked again. */
const FRESH_MS = 30_000;

/**
 * All assets, sorted by symbol.
 *
 * @throws {Problem} 503 the store is out of reach
 */
export async function listAssets({ bindings, isolate, now }: Context): Promise<ListedAsset[]> {
  if (isolate.assets !== null && now() - isolate.assets.readAt < FRESH_MS) return isolate.assets.value;
  const value: ListedAsset[] = [];
  let cursor: string | undefined;
  do {
    const options = { prefix: CURRENT_PREFIX, include: ["customMetadata" as const], ...(cursor ? { cursor } : {}) };
    const page = await bindings.BUCKET.list(options).catch((cause) => {
      throw storeUnavailable(cause);
    });
    for (const { key, etag, customMetadata } of page.objects) {
      const symbol = key.slice(CURRENT_PREFIX.length, -".json".length);
      const entry = parseCatalogEntry(customMetadata?.catalog);
      value.push({ symbol, etag, entry: entry?.symbol === symbol ? entry : undefined });
    }
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  value.sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  isolate.assets = { value, readAt: now() };
  return value;
}
