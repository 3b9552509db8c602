/** The published assets, from one list call. */

import {
  CURRENT_PREFIX,
  listedSymbol,
  METADATA,
  parseRemoval,
  REMOVAL_METADATA,
  type Removal,
} from "../../data-schema/stored.ts";
import type { Context } from "../context.ts";
import type { ListedAsset } from "../isolate.ts";
import { Problem, storeUnavailable } from "../problems/problem.ts";
import { MOST_LOOKED_UP } from "../request/parameters/holder-parameters.ts";

/** How long a list is served before the store is asked again. */
const FRESH_MS = 30_000;

/**
 * All assets, sorted by symbol. The isolate learns of those that were removed, too.
 *
 * @throws {Problem} 503 the store is out of reach
 */
export async function listAssets(context: Context): Promise<ListedAsset[]> {
  const { isolate, now } = context;
  if (isolate.assets !== null && now() - isolate.assets.readAt < FRESH_MS) return isolate.assets.value;
  const value: ListedAsset[] = [];
  const removals = new Map<string, Pick<Removal, "became">>();
  for await (const { key, etag, customMetadata } of listObjects(CURRENT_PREFIX, context)) {
    const { symbol, isRemoved } = listedSymbol(key);
    if (isRemoved) {
      removals.set(symbol, parseRemoval(customMetadata?.[REMOVAL_METADATA]) ?? { became: null });
      continue;
    }
    const entry = METADATA.catalog.read(customMetadata?.catalog, key);
    value.push({
      symbol,
      etag,
      entry: entry?.symbol === symbol ? entry : undefined,
      screener: customMetadata?.screener,
    });
  }
  value.sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  // The mark of an asset that is published again counts for nothing.
  for (const { symbol } of value) removals.delete(symbol);
  Object.assign(isolate, { assets: { value, readAt: now() }, removals });
  return value;
}

/**
 * The symbols of all assets, to look into each.
 *
 * @throws {Problem} 400 there are more than one request may look into; 503 the store is out of reach
 */
export async function everySymbol(context: Context): Promise<string[]> {
  const symbols = (await listAssets(context)).map(({ symbol }) => symbol);
  if (symbols.length <= MOST_LOOKED_UP) return symbols;
  const detail = `There are ${symbols.length} assets: a request looks into up to ${MOST_LOOKED_UP}. Name them in the parameter a.`;
  throw new Problem("too-many-reads", detail, { parameter: "a" });
}

/**
 * Every object under a prefix, in the order of the keys, with its custom metadata.
 *
 * @throws {Problem} 503 the store is out of reach
 */
export async function* listObjects(prefix: string, { bindings }: Context): AsyncGenerator<R2Object> {
  let cursor: string | undefined;
  do {
    const options = { prefix, include: ["customMetadata" as const], ...(cursor ? { cursor } : {}) };
    const page = await bindings.BUCKET.list(options).catch((cause) => {
      throw storeUnavailable(cause);
    });
    yield* page.objects;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}
