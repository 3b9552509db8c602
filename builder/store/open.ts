/** The store that a command names. */

import { resolve } from "node:path";
import type { Environment } from "./cloudflare.ts";
import { openLocalState } from "./local/local.ts";
import type { ObjectStore } from "./store.ts";

/** The options `--persist` and `--store`. */
export interface StorePlace {
  /** State folder of `wrangler dev`. */
  persist: string;
  /** `r2://bucket`; takes precedence over `persist`. */
  store?: string;
}

const R2_URL = /^r2:\/\/([a-z0-9][a-z0-9-]{1,61}[a-z0-9])\/?$/;

/** The bucket of `r2://bucket`; undefined when that is malformed. */
export function bucketName(store: string): string | undefined {
  return store.match(R2_URL)?.[1];
}

/**
 * Opens a store, and closes it however `use` ends.
 *
 * @throws {Failure} the folder can't be written, or the environment lacks what R2 needs
 */
export async function withStore<T>(
  { persist, store: url }: StorePlace,
  env: Environment,
  use: (store: ObjectStore) => Promise<T>,
): Promise<T> {
  // The S3 client is imported here because it takes a while to load.
  const store =
    url !== undefined
      ? (await import("./r2/r2.ts")).openR2(bucketName(url)!, env)
      : (await openLocalState(resolve(persist))).objects;
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
