import type { ObjectStore, StoredObject } from "./store.ts";

/** Reads that are begun before they are asked for: a bucket may be far away. */
const PREFETCHED = 4;

/** Reads objects in order, and prefetches the next ones. `object` is undefined when it is missing. */
export function prefetch<T>(
  store: ObjectStore,
  items: readonly T[],
  keyOf: (item: T) => string,
): AsyncGenerator<{ item: T; object: StoredObject | undefined }> {
  return prefetchEach(items, (item) => store.get(keyOf(item)));
}

export async function* prefetchEach<T>(
  items: readonly T[],
  read: (item: T) => Promise<StoredObject | undefined>,
): AsyncGenerator<{ item: T; object: StoredObject | undefined }> {
  const reads: ReturnType<typeof read>[] = [];
  const begin = (item: T) => {
    const begun = read(item);
    // Avoids an unhandled rejection if the caller stops before this read.
    begun.catch(() => {});
    reads.push(begun);
  };
  items.slice(0, PREFETCHED).forEach(begin);
  for (const [i, item] of items.entries()) {
    const object = await reads.shift();
    items.slice(i + PREFETCHED, i + PREFETCHED + 1).forEach(begin);
    yield { item, object };
  }
}
