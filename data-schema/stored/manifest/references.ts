/** All that a manifest refers to: parts by their own keys, and the objects that have them. */

import type { LotMethod } from "../../registry/lots.ts";
import { holderListsKey, largestKey } from "../holders/holder-objects.ts";
import { largeTransfersKey } from "../large-transfers.ts";
import { checkpointKey, depositsKey, lotsKey, openTransfersKey } from "../objects.ts";
import { type PackPlace, type PartPlace, packOf } from "../packs.ts";
import { listedObjects } from "./listed-objects.ts";
import type { Manifest } from "./manifest.ts";

/** What a manifest refers to by a key: an object of its own, or a part of a pack. */
export interface ManifestPart {
  key: string;
  /** The SHA-256 of its bytes, hex, or the first 32 digits. */
  hash: string;
  size: number;
  at?: PackPlace;
}

/** An object of the store. */
export interface Reference {
  key: string;
  size: number;
}

/** What a manifest says of a part. */
type PartEntry = Omit<ManifestPart, "key">;

/** A part with what a manifest says of it. */
const partAs = ([key, { hash, size, at }]: [key: string, entry: PartEntry]): ManifestPart => ({
  key,
  hash,
  size,
  ...(at && { at }),
});

/** The series of a manifest: all that readers need. */
export const seriesParts = (manifest: Manifest): ManifestPart[] =>
  Array.from(listedObjects(manifest), ({ key, entry }) => partAs([key, entry]));

/** Everything that a manifest refers to: its series, holders and largest transfers, and what the next build goes on with: its checkpoint, and what lies beside it. */
export const partsOf = (manifest: Manifest): ManifestPart[] => Array.from(entriesOf(manifest), partAs);

/** The entries themselves, by key. */
function* entriesOf(manifest: Manifest): Generator<[key: string, entry: PartEntry]> {
  const { symbol, checkpoint, deposits, holders, transfers } = manifest;
  for (const { key, entry } of listedObjects(manifest)) yield [key, entry];
  if (holders?.lists) yield [holderListsKey(symbol, holders.lists.hash), holders.lists];
  for (const month of holders?.largest ?? []) yield [largestKey(symbol, month.name, month.hash), month];
  for (const month of transfers?.largest ?? []) yield [largeTransfersKey(symbol, month.name, month.hash), month];
  if (checkpoint) yield [checkpointKey(symbol, checkpoint.hash), checkpoint];
  if (checkpoint?.transfers) yield [openTransfersKey(symbol, checkpoint.transfers.hash), checkpoint.transfers];
  for (const [method, table] of Object.entries(checkpoint?.lots ?? {})) {
    yield [lotsKey(symbol, method as LotMethod, table.hash), table];
  }
  if (deposits?.table) yield [depositsKey(symbol, deposits.table.hash), deposits.table];
}

/** A manifest whose parts lie where `placeOf` says; one without a place is an object of its own. Packs are in the order of parts. */
export function placed(manifest: Manifest, placeOf: (key: string) => PartPlace | undefined): Manifest {
  const made = structuredClone(manifest);
  const packs = new Map<string, { index: number; size: number }>();
  for (const [key, entry] of [...entriesOf(made)]) {
    delete entry.at;
    const place = placeOf(key);
    if (!place) continue;
    const pack = packs.get(place.hash) ?? { index: packs.size, size: place.size };
    packs.set(place.hash, pack);
    entry.at = [pack.index, place.offset];
  }
  delete made.packs;
  if (packs.size > 0) made.packs = Array.from(packs, ([hash, { size }]) => ({ hash, size }));
  return made;
}

/** A manifest that does not say where its parts lie. */
export const unplaced = (manifest: Manifest): Manifest => placed(manifest, () => undefined);

/** The objects of the store that have parts of a manifest, each once. */
export function references(manifest: Manifest, parts: readonly ManifestPart[] = partsOf(manifest)): Reference[] {
  const objects = parts.map((part) => {
    const { key, size } = packOf(manifest, part) ?? part;
    return [key, { key, size }] as const;
  });
  return [...new Map(objects).values()];
}
