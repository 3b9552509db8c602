/**
 * What says that an asset is no longer published under a symbol: a mark beside the active manifests, so that one list call shows
 * both. Source: docs/formats.md#removed-assets.
 */

import * as v from "valibot";
import { SYMBOL_PATTERN } from "../asset.ts";
import { iso } from "./fields.ts";
import { CURRENT_PREFIX } from "./objects.ts";

const symbol = v.pipe(v.string(), v.regex(SYMBOL_PATTERN));

const removalSchema = v.strictObject({
  schema: v.literal(1),
  symbol,
  /** When it was removed, or got its new symbol. */
  at: iso,
  /** The symbol that it has now; null if it was removed. */
  became: v.nullable(symbol),
});

export type Removal = v.InferOutput<typeof removalSchema>;

/** The mark of a symbol. Symbols have no small letters, so it is no asset's manifest. */
export const removedKey = (symbol: string): string => `${CURRENT_PREFIX}${symbol}.removed.json`;

/** Custom metadata of the mark, which holds what its bytes do. */
export const REMOVAL_METADATA = "removal";

/** Reads a mark, or its custom metadata; undefined if there is none, or if another version wrote it. */
export function parseRemoval(text: string | undefined): Removal | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), removalSchema), text);
  return result.success ? result.output : undefined;
}

/** Whose active manifest or mark a key below `CURRENT_PREFIX` is. */
export function listedSymbol(key: string): { symbol: string; isRemoved: boolean } {
  const name = key.slice(CURRENT_PREFIX.length, -".json".length);
  const symbol = name.replace(/\.removed$/, "");
  return { symbol, isRemoved: symbol !== name };
}
