/** The store that a command names. */

import { resolve } from "node:path";
import { openLocalState } from "./local.ts";
import type { Environment } from "./remote.ts";
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
export function bucketOf(store: string): string | undefined {
  return store.match(R2_URL)?.[1];
}

/** @throws {Failure} the folder can't be written, or the environment lacks what R2 needs */
export async function openStore({ persist, store }: StorePlace, env: Environment): Promise<ObjectStore> {
  if (store !== undefined) {
    // Imported here because the S3 client takes a while to load.
    const { openR2 } = await import("./r2.ts");
    return openR2(bucketOf(store)!, env);
  }
  const state = await openLocalState(resolve(persist));
  return { ...state.objects, close: state.close };
}
