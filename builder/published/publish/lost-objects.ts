/** Whether the store has objects. Each read costs a tenth of a list, which has a thousand keys. */

import { hashIn, type Reference, SHA256_METADATA } from "../../../data-schema/stored.ts";
import type { ObjectStore } from "../../store/store.ts";

/** Up to so many are read one by one. */
const MOST_READ = 16;

/** The objects that are missing, of another size, or stored with another digest. */
export async function lostObjects(store: ObjectStore, objects: readonly Reference[]): Promise<Reference[]> {
  const isThere: Awaited<ReturnType<typeof isListed>> =
    objects.length <= MOST_READ ? hasLastByte(store) : await isListed(store, objects);
  const found = await Promise.all(objects.map((object) => isThere(object)));
  return objects.filter((_, i) => !found[i]);
}

/** A larger one has a byte after the last, too. One that was stored with another digest is not the one that its key names. */
const hasLastByte =
  (store: ObjectStore) =>
  async ({ key, size }: Reference): Promise<boolean> => {
    const object = await store.get(key, { offset: size - 1, length: 2 });
    const digest = object?.metadata[SHA256_METADATA] ?? "";
    return object?.bytes.length === 1 && (digest === "" || digest.startsWith(hashIn(key)));
  };

async function isListed(
  store: ObjectStore,
  objects: readonly Reference[],
): Promise<(object: Reference) => Promise<boolean> | boolean> {
  const prefixes = new Set(objects.map(({ key }) => `${key.split("/", 2).join("/")}/`));
  const listed = await Promise.all(Array.from(prefixes, (prefix) => store.list(prefix)));
  const sizes = new Map(listed.flatMap((list) => Array.from(list, ([key, { size }]) => [key, size] as const)));
  return ({ key, size }: Reference): boolean => sizes.get(key) === size;
}
