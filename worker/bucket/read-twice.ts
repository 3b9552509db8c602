/** Reads of the bucket that tell damage, which is permanent, from a store that is out of reach. */

import type { Context } from "../context.ts";
import { damaged, missing, storeUnavailable } from "../problems/problem.ts";

/**
 * Reads an object once more if that fails or finds nothing, as it may while another process rewrites the object in a local
 * bucket: the row that was read names bytes that are gone by then.
 */
export const again = <T>(read: () => Promise<T>): Promise<T> => read().then((found) => found ?? read(), read);

/**
 * What `read` returns, the second time if not the first.
 *
 * @param read reads the object with this key, or a part of it
 * @param size of the object, if it is known
 * @param name what problems call it
 * @throws {Problem} 500 the store answers, but does not deliver the object; 503 the store is out of reach
 */
export async function readTwice<T>(
  key: string,
  read: () => Promise<T>,
  context: Context,
  size?: number,
  name = key,
): Promise<T> {
  const { bindings } = context;
  return again(read).catch(async (cause) => {
    // A read of an object that is being removed, or beyond the end of one cut short, fails as if the store were down.
    const object = await bindings.BUCKET.head(key).catch(() => undefined);
    if (object === undefined) throw storeUnavailable(cause);
    if (object === null) throw missing(name, cause);
    if (object.size === (size ?? object.size) && !(await hasOtherLength(key, context))) throw storeUnavailable(cause);
    throw damaged(`${name} has fewer or more bytes than it should`, cause);
  });
}

/** Whether the store begins to deliver an object, but not with as many bytes as it says. */
async function hasOtherLength(key: string, { bindings }: Context): Promise<boolean> {
  const object = await bindings.BUCKET.get(key).catch(() => null);
  if (object === null) return false;
  let bytes = 0;
  try {
    for await (const chunk of object.body as ReadableStream<Uint8Array>) bytes += chunk.length;
  } catch {
    return true;
  }
  return bytes !== object.size;
}
