/**
 * What objects carry beside their bytes, as custom metadata: one list for the Worker, which reads it, for `verify`, which
 * says where it is missing, and for what writes it again. Source: docs/formats.md#metadata.
 */

import { parseChangeSummary } from "./changes.ts";
import { parseBuildSummary, parseCatalogEntry } from "./manifest/catalog-entry.ts";
import { BUILDS_PREFIX, CHANGES_PREFIX, CURRENT_PREFIX, hashIn, SHA256_METADATA } from "./objects.ts";
import { listedSymbol } from "./removals.ts";
import { parseScreener } from "./screener.ts";

export type Metadata = Readonly<Record<string, string>> | undefined;

/** Custom metadata of some objects. */
interface Carried<T> {
  /** The objects that carry it. */
  of: (key: string) => boolean;
  /** Reads it; undefined if it is missing, or is not that of this object. */
  read: (text: string | undefined, key: string) => T | undefined;
}

const carried = <T>(of: Carried<T>["of"], read: Carried<T>["read"]): Carried<T> => ({ of, read });
const under = (prefix: string) => (key: string) => key.startsWith(prefix);

const isActive = (key: string) => key.startsWith(CURRENT_PREFIX) && !listedSymbol(key).isRemoved;

export const METADATA = {
  /** Carried by packs, and by Parquet that the Worker serves: it hands out no bytes that were stored without. */
  [SHA256_METADATA]: carried(
    (key) => /^((series|known)\/.*\.parquet|packs\/.*\.pack)$/.test(key),
    (text, key) => (text?.startsWith(hashIn(key)) ? text : undefined),
  ),
  catalog: carried(isActive, parseCatalogEntry),
  screener: carried(isActive, parseScreener),
  build: carried(under(BUILDS_PREFIX), parseBuildSummary),
  change: carried(under(CHANGES_PREFIX), parseChangeSummary),
};

export type MetadataName = keyof typeof METADATA;

/** What an object lacks of what its kind carries. */
export const lackingIn = (key: string, metadata: Metadata): MetadataName[] =>
  (Object.keys(METADATA) as MetadataName[]).filter((name) => {
    const { of, read } = METADATA[name];
    return of(key) && read(metadata?.[name], key) === undefined;
  });
