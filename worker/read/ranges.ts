/** Bytes of immutable objects: from this location's cache, or from R2 and checked against the manifest. */

import type { Context } from "../context.ts";
import { noteSource } from "../log.ts";
import { damaged, storeUnavailable } from "../problems.ts";
import { storedSha256 } from "./verify.ts";

/** An object as the manifest describes it. */
export interface StoredObject {
  key: string;
  /** Bytes. */
  size: number;
  /** First 32 hex digits of its SHA-256. */
  hash: string;
}

/**
 * A range of an object.
 *
 * @param check of the bytes that R2 returned, before they go into this location's cache; throws on other bytes than
 *   were published
 * @throws {Problem} 500 no such object, or not the one that was published; 503 the store is out of reach
 */
export async function readRange(
  object: StoredObject,
  offset: number,
  length: number,
  check: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
  context: Context,
): Promise<Uint8Array<ArrayBuffer>> {
  const { edge, origin, entry, waitUntil } = context;
  // A name for the cache alone, on the Worker's own host as Cloudflare's Cache API asks for; the router knows no such
  // path. The object's key holds its hash, so what it names never changes.
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
  // A range, but stored as an answer of its own: the cache takes no 206.
  const headers = { "Cache-Control": "public, max-age=31536000, immutable" };
  if (edge !== null) waitUntil(edge.put(url, new Response(bytes, { headers })).catch(() => {}));
  return bytes;
}

async function readStore(
  object: StoredObject,
  offset: number,
  length: number,
  { bindings }: Context,
): Promise<Uint8Array<ArrayBuffer>> {
  const { key, size } = object;
  const read = async () => {
    const stored = await bindings.BUCKET.get(key, length === size ? {} : { range: { offset, length } });
    // Left unread when it is not the object wanted.
    const bytes = stored?.size === size ? new Uint8Array(await stored.arrayBuffer()) : undefined;
    return { stored, bytes };
  };
  // Writing the local object anew in a second process can fail one concurrent read: the second attempt finds it.
  const { stored, bytes } = await read()
    .catch(read)
    .catch(async (cause) => {
      // Reading an object that goes away meanwhile, or behind the end of one cut short, fails like a store that is down.
      const actual = await bindings.BUCKET.head(key).catch(() => undefined);
      if (actual === undefined || actual?.size === size) throw storeUnavailable(cause);
      throw damaged(`${key} ${actual === null ? "is missing" : "was cut short"}`, cause);
    });
  if (stored === null) throw damaged(`${key} is missing`);
  if (bytes === undefined) throw damaged(`${key} has another size than its manifest says`);
  if (bytes.length !== length) throw damaged(`${key} ended early`);
  const sha256 = storedSha256(stored);
  if (sha256 === undefined) throw damaged(`${key} was stored without its SHA-256`);
  if (!sha256.startsWith(object.hash)) throw damaged(`${key} is not what was published`);
  return bytes;
}
