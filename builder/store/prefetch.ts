import type { ObjectStore, StoredObject } from "./store.ts";

/** Objects that are read before they are asked for: a bucket may be far away. */
const PREFETCHED = 4;

/** Reads objects in order, and prefetches the next ones. `object` is undefined when it is missing. */
export async function* prefetch<T>(
  store: ObjectStore,
  items: readonly T[],
  keyOf: (item: T) => string,
): AsyncGenerator<{ item: T; object: StoredObject | undefined }> {
  const reads: ReturnType<ObjectStore["get"]>[] = [];
  const begin = (item: T) => {
    const read = store.get(keyOf(item));
    // Avoids an unhandled rejection if the caller stops before this read.
    read.catch(() => {});
    reads.push(read);
  };
  items.slice(0, PREFETCHED).forEach(begin);
  for (const [i, item] of items.entries()) {
    const object = await reads.shift();
    items.slice(i + PREFETCHED, i + PREFETCHED + 1).forEach(begin);
    yield { item, object };
  }
}
