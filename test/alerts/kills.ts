/** Stores that alerts run on, night after night, and runs that are killed. */

import { expect } from "vitest";
import { copyOf } from "../published/verify/published.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import type { Receiver } from "./receiver.ts";

/** Makes what is published in a store that of a night; what alerts remember stays. */
export function publish(store: MemoryStore, night: MemoryStore): void {
  for (const key of [...store.objects.keys()]) if (!key.startsWith("alerts/")) store.objects.delete(key);
  for (const [key, object] of night.objects) store.objects.set(key, object);
}

/**
 * Kills a run at each of its steps, a read or write of the store or a post: what is done stays, and nothing more is. The
 * next run makes up for it.
 *
 * @param before the store in which the run begins
 * @param run rejects if it is killed; else says whether all went well
 * @param expected how many firings there are
 */
export async function killAnywhere(
  before: MemoryStore,
  receiver: Receiver,
  run: (store: MemoryStore) => Promise<boolean>,
  expected: number,
): Promise<void> {
  let steps = 0;
  let last = 0;
  const step = () => ++steps >= last;
  const live = () => {
    if (step()) throw new Error("killed");
  };
  const count = { killed: 0, twice: 0 };
  for (last = 1; ; last++) {
    const store = copyOf(before);
    receiver.posts.length = 0;
    const killed = Object.assign(Object.create(store) as MemoryStore, {
      get: async (...given: Parameters<MemoryStore["get"]>) => {
        if (given[0].startsWith("alerts/")) live();
        return store.get(...given);
      },
      put: async (...given: Parameters<MemoryStore["put"]>) => {
        live();
        const done = await store.put(...given);
        live();
        return done;
      },
    });
    receiver.arrived = step;
    steps = 0;
    const ended = await run(killed).then(
      () => true,
      () => false,
    );
    if (steps < last) break;
    receiver.arrived = () => {};
    steps = Number.NEGATIVE_INFINITY;
    if (!ended) count.killed++;
    // Posts that were under way end.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await run(store), `killed at ${last}`).toBe(true);
    const byKey = Map.groupBy(receiver.posts, ({ headers }) => headers["idempotency-key"]);
    expect(byKey.size, `killed at ${last}`).toBe(expected);
    for (const own of byKey.values()) {
      if (own.length > 1) count.twice++;
      expect(new Set(own.map(({ body }) => body)).size).toBe(1);
    }
  }
  for (const found of Object.values(count)) expect(found).toBeGreaterThan(0);
}
