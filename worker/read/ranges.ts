/** Bytes of immutable objects: from this location's cache, or from R2 and checked against the manifest. */

import type { Context } from "../context.ts";
import { damaged, storeUnavailable } from "../problems.ts";

/** An object as the manifest describes it. */
export interface StoredObject {
  key: string;
  /** Bytes. */
  size: number;
  /** First 32 hex digits of its SHA-256. */
  hash: string;
}

/** Bytes as they were read. */
export interface RangeRead {
  bytes: Uint8Array;
  /** Puts them into this location's cache: to be called once they have proved usable, so that the cache is good. */
  keep: () => void;
}

/**
 * A range of an object.
 *
 * @throws {Problem} 500 no such object, or not the one that was published; 503 the store is out of reach
 */
export async function readRange(
  object: StoredObject,
  offset: number,
  length: number,
  context: Context,
): Promise<RangeRead> {
  const { edge, origin, waitUntil } = context;
  // A name for the cache alone, on the Worker's own host as Cloudflare's Cache API asks for; the router knows no such
  // path. The object's key holds its hash, so what it names never changes.
  const url = `${origin}/${object.key}?range=${offset}-${offset + length - 1}`;
  const cached = await edge?.match(url).catch(() => undefined);
  if (cached?.ok) {
    const bytes = new Uint8Array(await cached.arrayBuffer());
    if (bytes.length === length) return { bytes, keep: () => {} };
  }
  const bytes = await readStore(object, offset, length, context);
  const keep = () => {
    if (edge === null) return;
    // A range, but stored as an answer of its own: the cache takes no 206.
    const headers = { "Cache-Control": "public, max-age=31536000, immutable" };
    waitUntil(edge.put(url, new Response(bytes, { headers })).catch(() => {}));
  };
  return { bytes, keep };
}

async function readStore(
  object: StoredObject,
  offset: number,
  length: number,
  { bindings }: Context,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = length === object.size;
  let stored: R2ObjectBody | null;
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    stored = await bindings.BUCKET.get(object.key, whole ? {} : { range: { offset, length } });
    // Left unread when it is not the object wanted.
    if (stored?.size === object.size) bytes = new Uint8Array(await stored.arrayBuffer());
  } catch (cause) {
    // A range that begins after the end of an object cut short fails like a store that is down.
    const actual = await bindings.BUCKET.head(object.key).catch(() => null);
    if (actual !== null && actual.size !== object.size) throw damaged(`${object.key} was cut short`, cause);
    throw storeUnavailable(cause);
  }
  if (stored === null) throw damaged(`${object.key} is missing`);
  if (bytes === undefined) throw damaged(`${object.key} has another size than its manifest says`);
  if (bytes.length !== length) throw damaged(`${object.key} ended early`);
  const { sha256 } = stored.checksums;
  if (sha256 === undefined) throw damaged(`${object.key} was stored without its SHA-256`);
  if (!hex(sha256).startsWith(object.hash)) throw damaged(`${object.key} is not what was published`);
  if (whole && !hex(await crypto.subtle.digest("SHA-256", bytes)).startsWith(object.hash)) {
    throw damaged(`the bytes of ${object.key} are not those that were published`);
  }
  return bytes;
}

function hex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
