/** The objects that an asset's manifests refer to, and whether the store's listing has them. */

import type { LotMethod } from "../../data-schema/registry.ts";
import {
  checkpointKey,
  checkpointPrefix,
  depositsKey,
  holderListsKey,
  holdersPrefix,
  largestKey,
  largeTransfersKey,
  listedObjects,
  lotsKey,
  type Manifest,
  openTransfersKey,
  seriesPrefix,
  transfersPrefix,
} from "../../data-schema/stored.ts";
import type { ObjectStore, StoredKey } from "./store.ts";

/** An object that a manifest refers to. */
export interface Reference {
  key: string;
  size: number;
}

/** The series objects of a manifest: all that readers need. */
export function seriesReferences(manifest: Manifest): Reference[] {
  return Array.from(listedObjects(manifest), ({ key, entry: { size } }) => ({ key, size }));
}

/** The lists of holders, and the largest by month. */
function holderReferences({ symbol, holders }: Manifest): Reference[] {
  const { lists, largest = [] } = holders ?? {};
  return [
    ...(lists ? [{ key: holderListsKey(symbol, lists.hash), size: lists.size }] : []),
    ...largest.map(({ name, hash, size }) => ({ key: largestKey(symbol, name, hash), size })),
  ];
}

/** The largest transfers by month. */
const transferReferences = ({ symbol, transfers }: Manifest): Reference[] =>
  (transfers?.largest ?? []).map(({ name, hash, size }) => ({ key: largeTransfersKey(symbol, name, hash), size }));

/** Everything that a manifest refers to: its series, holders and largest transfers, and what the next build goes on with: its checkpoint, and what lies beside it. */
export function references(manifest: Manifest): Reference[] {
  const { symbol, checkpoint, deposits } = manifest;
  const own = checkpoint ? [{ key: checkpointKey(symbol, checkpoint.hash), size: checkpoint.size }] : [];
  const open = checkpoint?.transfers;
  const beside = open ? [{ key: openTransfersKey(symbol, open.hash), size: open.size }] : [];
  const table = deposits?.table ? [{ key: depositsKey(symbol, deposits.table.hash), size: deposits.table.size }] : [];
  const series = seriesReferences(manifest);
  const lots = Object.entries(checkpoint?.lots ?? {}).map(([method, { hash, size }]) => ({
    key: lotsKey(symbol, method as LotMethod, hash),
    size,
  }));
  return [
    ...series,
    ...holderReferences(manifest),
    ...transferReferences(manifest),
    ...own,
    ...beside,
    ...lots,
    ...table,
  ];
}

/** Every object that a manifest of an asset may refer to, by key. */
export async function listObjects(store: ObjectStore, symbol: string): Promise<Map<string, StoredKey>> {
  const prefixes = [seriesPrefix, checkpointPrefix, holdersPrefix, transfersPrefix];
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
