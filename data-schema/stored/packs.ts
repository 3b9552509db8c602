/**
 * Packs: one object that has many parts of a build, one after the other, each of which would otherwise be an object of its
 * own. A part keeps the key and the hash that it would have. Source: docs/formats.md#packs.
 */

import * as v from "valibot";
import { hash, positive, wholeCount } from "./fields.ts";

/** Which of the manifest's packs has a part, from 0, and from which byte on; absent if the part is an object of its own. */
export const placeField = v.exactOptional(v.strictTuple([wholeCount, wholeCount]));
export type PackPlace = v.InferOutput<(typeof placeField)["wrapped"]>;

/** The packs of a manifest. */
export const packsField = v.pipe(v.array(v.strictObject({ hash, size: positive })), v.minLength(1));

/** Prefix of an asset's packs. */
export const packsPrefix = (symbol: string): string => `packs/${symbol}/`;

/** A pack. @param hash the first 32 hex digits of the SHA-256 of its bytes */
export const packKey = (symbol: string, hash: string): string => `${packsPrefix(symbol)}${hash}.pack`;

/** Where in the bucket the bytes of a part are: the pack, and from which of its bytes on. */
export interface Pack {
  key: string;
  hash: string;
  size: number;
  offset: number;
}

/** The same without the pack's key. */
export type PartPlace = Omit<Pack, "key">;

/** Whose parts lie in packs. */
export interface Packed {
  symbol: string;
  packs?: v.InferOutput<typeof packsField>;
}

/** The pack that has a part; undefined if the part is an object of its own, or the manifest lacks the pack. */
export function packOf({ symbol, packs = [] }: Packed, { at }: { at?: PackPlace }): Pack | undefined {
  if (!at) return undefined;
  const [index, offset] = at;
  const pack = packs[index];
  return pack && { key: packKey(symbol, pack.hash), ...pack, offset };
}

/** Whether a part lies within a pack that the manifest has, or is an object of its own. */
export function isPlaced({ packs = [] }: Packed, { at, size }: { at?: PackPlace; size: number }): boolean {
  if (!at) return true;
  const [index, offset] = at;
  return index < packs.length && offset + size <= packs[index]!.size;
}
