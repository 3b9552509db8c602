/** Objects that are named by their content: what has been read of one is kept. */

import { readTwice } from "../bucket/read-twice.ts";
import { verify } from "../bucket/verify-bytes.ts";
import type { Context } from "../context.ts";
import { missing } from "../problems/problem.ts";

/**
 * The text of an object.
 *
 * @param hash the first hex digits of the SHA-256 of its bytes
 * @throws {Problem} 500 it is missing, or has other bytes; 503 the store is out of reach
 */
export async function namedText(key: string, hash: string, context: Context): Promise<string> {
  const { pages } = context.isolate;
  const kept = pages.get(key);
  if (kept !== undefined) return kept;
  const read = async () => {
    const object = await context.bindings.BUCKET.get(key);
    return object && new Uint8Array(await object.arrayBuffer());
  };
  const bytes = await readTwice(key, read, context);
  if (bytes === null) throw missing(key);
  await verify(bytes, hash, key);
  const text = new TextDecoder().decode(bytes);
  pages.set(key, text);
  return text;
}
