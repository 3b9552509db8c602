/** Bytes of immutable objects: from this location's cache, or from R2 and then checked against the manifest. */

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
}

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
  // API. The object's key holds its hash, so what the name stands for never changes.
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
  const { key, entry } = object;
  const { bindings } = context;
  const read = async () => {
    const stored = await bindings.BUCKET.get(key, length === entry.size ? {} : { range: { offset, length } });
    // Not read if it is not the wanted object.
    const bytes = stored?.size === entry.size ? new Uint8Array(await stored.arrayBuffer()) : undefined;
    return { stored, bytes };
  };
  const { stored, bytes } = await readTwice(key, read, context, entry.size);
  if (stored === null) throw missing(key);
  if (bytes === undefined) throw damaged(`${key} does not have the size that its manifest says`);
  if (bytes.length !== length) throw damaged(`${key} ended early`);
  const sha256 = storedSha256(stored);
  if (sha256 === undefined) throw damaged(`${key} was stored without its SHA-256`);
  if (!sha256.startsWith(entry.hash)) throw damaged(`${key} is not what was published`);
  return bytes;
}
