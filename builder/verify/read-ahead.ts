import type { ObjectStore } from "../store/store.ts";

/** Reads under way, and read but not taken: a bucket may be far. */
const AHEAD = 4;

/** Reads objects in order, some ahead. Those that are not there have no bytes. */
export async function* readAhead<T>(
  store: ObjectStore,
  items: readonly T[],
  keyOf: (item: T) => string,
): AsyncGenerator<{ item: T; bytes: Uint8Array | undefined }> {
  const reads: ReturnType<ObjectStore["get"]>[] = [];
  const begin = (index: number) => {
    if (index >= items.length) return;
    const read = store.get(keyOf(items[index]));
    // Whoever waits for it hears of its failure.
    read.catch(() => {});
    reads[index] = read;
  };
  for (let i = 0; i < AHEAD; i++) begin(i);
  for (let i = 0; i < items.length; i++) {
    const object = await reads[i];
    delete reads[i];
    begin(i + AHEAD);
    yield { item: items[i], bytes: object?.bytes };
  }
}
