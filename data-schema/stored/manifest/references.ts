/** All that a manifest refers to: parts by their own keys, and the objects that have them. */

import type { LotMethod } from "../../registry/lots.ts";
import { holderListsKey, largestKey } from "../holders/holder-objects.ts";
import { largeTransfersKey } from "../large-transfers.ts";
import { checkpointKey, depositsKey, lotsKey, openTransfersKey } from "../objects.ts";
import { type PackPlace, packOf } from "../packs.ts";
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

/** A part with what a manifest says of it. */
const partAs = (key: string, { hash, size, at }: Omit<ManifestPart, "key">): ManifestPart => ({
  key,
  hash,
  size,
  ...(at && { at }),
});

/** The series of a manifest: all that readers need. */
export const seriesParts = (manifest: Manifest): ManifestPart[] =>
  Array.from(listedObjects(manifest), ({ key, entry }) => partAs(key, entry));

/** Everything that a manifest refers to: its series, holders and largest transfers, and what the next build goes on with: its checkpoint, and what lies beside it. */
export function partsOf(manifest: Manifest): ManifestPart[] {
  const { symbol, checkpoint, deposits, holders, transfers } = manifest;
  const months = holders?.largest ?? [];
  const lots = Object.entries(checkpoint?.lots ?? {}) as [LotMethod, Omit<ManifestPart, "key">][];
  return [
    ...seriesParts(manifest),
    ...(holders?.lists ? [partAs(holderListsKey(symbol, holders.lists.hash), holders.lists)] : []),
    ...months.map((month) => partAs(largestKey(symbol, month.name, month.hash), month)),
    ...(transfers?.largest ?? []).map((month) => partAs(largeTransfersKey(symbol, month.name, month.hash), month)),
    ...(checkpoint ? [partAs(checkpointKey(symbol, checkpoint.hash), checkpoint)] : []),
    ...(checkpoint?.transfers
      ? [partAs(openTransfersKey(symbol, checkpoint.transfers.hash), checkpoint.transfers)]
      : []),
    ...lots.map(([method, table]) => partAs(lotsKey(symbol, method, table.hash), table)),
    ...(deposits?.table ? [partAs(depositsKey(symbol, deposits.table.hash), deposits.table)] : []),
  ];
}

/** The objects of the store that have parts of a manifest, each once. */
export function references(manifest: Manifest, parts: readonly ManifestPart[] = partsOf(manifest)): Reference[] {
  const objects = parts.map((part) => {
    const { key, size } = packOf(manifest, part) ?? part;
    return [key, { key, size }] as const;
  });
  return [...new Map(objects).values()];
}
