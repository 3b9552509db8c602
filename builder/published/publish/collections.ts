/**
 * Keeps garbage collections from removing what is being activated. A collection puts a lease before it reads which builds
 * there are. Whoever activates a build writes its manifest under `builds/` first, then looks for leases, and checks its
 * objects last. So a collection has either read that manifest, or its lease is seen. Source: docs/formats.md#publishing.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { collectionPrefix } from "../../../data-schema/stored.ts";
import { isRunning, PROCESS_SPACE } from "../../lib/files/process-space.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";

/** How long a lease lasts: longer than a request takes with all its retries. */
const LEASE_MS = 10 * 60_000;

/** How often leases are looked for while there is one. */
const POLL_MS = 2_000;

/** Keys that are removed in one request, at most. */
const MAX_REMOVED = 1000;

/**
 * Runs a collection under a lease. If it is killed, the lease ends by itself.
 *
 * @param work gets what removes objects and renews the lease, and when the lease began by the store's clock
 */
export async function withLease<T>(
  store: ObjectStore,
  symbol: string,
  work: (remove: (keys: readonly string[]) => Promise<void>, began: Date | undefined) => Promise<T>,
): Promise<T> {
  const key = `${collectionPrefix(symbol)}${randomUUID()}.json`;
  const bytes = new TextEncoder().encode(JSON.stringify({ pid: process.pid, space: PROCESS_SPACE }));
  const sha256 = sha256Hex(bytes);
  let since = 0;
  const renew = async () => {
    since = performance.now();
    await store.put(key, bytes, { contentType: "application/json", sha256 });
  };
  const remove = async (keys: readonly string[]) => {
    for (let i = 0; i < keys.length; i += MAX_REMOVED) {
      // Each request needs most of a lease.
      if (performance.now() - since > LEASE_MS / 10) await renew();
      await store.delete(keys.slice(i, i + MAX_REMOVED));
    }
  };
  const ended = (await leases(store, symbol)).filter(({ until }) => until <= Date.now());
  if (ended.length > 0) await store.delete(ended.map((lease) => lease.key));
  await renew();
  const end = () => store.delete([key]).catch(() => {});
  const stop = (signal: NodeJS.Signals) => {
    void end().finally(() => process.kill(process.pid, signal));
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await work(remove, (await store.list(key)).get(key)?.uploaded);
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
    await end();
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** When the leases of running collections end at the latest; undefined when none is running. */
export async function runningCollection(store: ObjectStore, symbol: string): Promise<Date | undefined> {
  const last = Math.max(...(await leases(store, symbol)).map(({ until }) => until));
  return last > Date.now() ? new Date(last) : undefined;
}

/**
 * Waits until no collection is running.
 *
 * @param tell called if there is one, with the time by which it ends
 * @returns whether there was one
 */
export async function collectionsEnded(
  store: ObjectStore,
  symbol: string,
  tell: (until: Date) => void,
): Promise<boolean> {
  const first = await runningCollection(store, symbol);
  if (first === undefined) return false;
  tell(first);
  let [until, since]: [Date | undefined, number] = [first, performance.now()];
  // The store's clock and this machine's may differ: a lease that is not renewed ends by either.
  while (until !== undefined && performance.now() - since < LEASE_MS) {
    await sleep(POLL_MS);
    const now = await runningCollection(store, symbol);
    if (now?.getTime() !== until.getTime()) since = performance.now();
    until = now;
  }
  return true;
}

async function leases(store: ObjectStore, symbol: string): Promise<{ key: string; until: number }[]> {
  const listed = await store.list(collectionPrefix(symbol));
  return Promise.all(
    Array.from(listed, async ([key, { uploaded }]) => {
      const isOver = await isOfDead(store, key);
      return { key, until: isOver ? 0 : uploaded.getTime() + LEASE_MS };
    }),
  );
}

/** Whose lease it is. */
const leaseSchema = v.object({ pid: v.number(), space: v.string() });

/** Whether a lease is that of a process of this machine that has ended. */
async function isOfDead(store: ObjectStore, key: string): Promise<boolean> {
  const object = await store.get(key);
  try {
    const { pid, space } = v.parse(leaseSchema, JSON.parse(new TextDecoder().decode(object?.bytes)));
    return space === PROCESS_SPACE && !isRunning(pid);
  } catch {
    // The lease is from an earlier version, or gone by now.
    return false;
  }
}
