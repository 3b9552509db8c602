/** Bytes of immutable objects: from this location's cache, or from R2 and then checked against the manifest. */

import { type Pack, type Packed, type PackPlace, packOf } from "../../data-schema/stored.ts";
import { CACHE_CONTROL } from "../cache-control.ts";
import type { Context, SeriesContext } from "../context.ts";
import { noteSource } from "../observe/log.ts";
import { damaged, missing } from "../problems/problem.ts";
import { readTwice } from "./read-twice.ts";
import { storedSha256 } from "./verify-bytes.ts";

/** What a read needs to know of an object. */
export interface StoredObject {
  key: string;
  /** Its size in bytes, and its SHA-256 in hex, or the first digits of that. */
  entry: { size: number; hash: string };
  /** The pack that has its bytes; absent if it is an object of its own. */
  pack?: Pack;
}

/** What a manifest says of a part. @param entry says in which of the manifest's packs it lies, if it does */
export function storedPart(
  manifest: Packed,
  key: string,
  entry: StoredObject["entry"] & { at?: PackPlace },
): StoredObject {
  const pack = packOf(manifest, entry);
  return { key, entry, ...(pack && { pack }) };
}

/** What the operator finds an object by: its key and, if it lies in one, that of its pack. */
export const placeName = ({ key, pack }: Pick<StoredObject, "key" | "pack">): string =>
  pack ? `${key} in ${pack.key}` : key;

/**
 * A range of an object.
 *
 * @param check checks the bytes that R2 returned, before they are cached; throws if they are not what was published
 * @throws {Problem} 500 the object is missing or not the one that was published; 503 the store is out of reach
 */
export async function readRange(
  object: StoredObject,
  offset: number,
  length: number,
  check: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
  context: SeriesContext,
): Promise<Uint8Array<ArrayBuffer>> {
  const { edge, origin, entry, lease, waitUntil } = context;
  // A name for the cache only, on the Worker's own host as Cloudflare's Cache API requires; it is not a path of the
  // API. The object's key holds its hash, so what the name stands for never changes, whichever pack has its bytes.
  const url = `${origin}/${object.key}?range=${offset}-${offset + length - 1}`;
  const cached = await edge?.match(url).catch(() => undefined);
  if (cached?.ok) {
    const bytes = new Uint8Array(await cached.arrayBuffer());
    if (bytes.length === length) {
      noteSource(entry, "edge");
      return bytes;
    }
  }
  noteSource(entry, "store");
  const bytes = await readStore(object, offset, length, context);
  await check(bytes);
  if (edge !== null) {
    lease.reserve(length, true);
    // Stored as a whole answer, since the cache refuses a 206.
    const stored = edge
      .put(url, new Response(bytes, { headers: { "Cache-Control": CACHE_CONTROL.forever } }))
      .catch(() => {});
    waitUntil(stored.then(() => lease.release(length)));
  }
  return bytes;
}

async function readStore(
  object: StoredObject,
  offset: number,
  length: number,
  context: Context,
): Promise<Uint8Array<ArrayBuffer>> {
  const { key, size, hash } = object.pack ?? { key: object.key, ...object.entry };
  const range = { offset: (object.pack?.offset ?? 0) + offset, length };
  const name = placeName(object);
  const { bindings } = context;
  const read = async () => {
    const stored = await bindings.BUCKET.get(key, length === size ? {} : { range });
    // Not read if it is not the wanted object.
    const bytes = stored?.size === size ? new Uint8Array(await stored.arrayBuffer()) : undefined;
    return { stored, bytes };
  };
  const { stored, bytes } = await readTwice(key, read, context, size, name);
  if (stored === null) throw missing(name);
  if (bytes === undefined) throw damaged(`${name} does not have the size that its manifest says`);
  if (bytes.length !== length) throw damaged(`${name} ended early`);
  const sha256 = storedSha256(stored);
  if (sha256 === undefined) throw damaged(`${name} was stored without its SHA-256`);
  if (!sha256.startsWith(hash)) throw damaged(`${name} is not what was published`);
  return bytes;
}
