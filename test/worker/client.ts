/** A client of the Worker, and of Workers in surroundings that a test makes up. */

import { env } from "cloudflare:workers";
import { type ApiKeyRecord, apiKeyName } from "../../data-schema/keys.ts";
import { createService } from "../../worker/service.ts";

/** A key that works, once `putKey()` has stored it. */
export const KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";

/** Stores a key's record. */
export async function putKey(key: string = KEY, changes: Partial<ApiKeyRecord> = {}): Promise<void> {
  const record = { id: "k1", name: "Tests", status: "active", created: "2024-01-01T00:00:00Z", ...changes };
  await env.KEYS.put(await apiKeyName(key), JSON.stringify(record));
}

export interface Surroundings {
  bucket?: R2Bucket;
  keys?: KVNamespace;
  /** None when left out, so that every read that memory does not spare reaches the bucket. */
  edge?: Cache | null;
  now?: () => number;
  publicKey?: string;
}

export interface Client {
  /** Sends a request; the key that works is added unless the path brings one. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Waits for what goes on behind the responses. */
  settled(): Promise<void>;
}

/** A client of a Worker in an isolate of its own, with nothing in memory. */
export function freshIsolate({ bucket, keys, edge = null, now = Date.now, publicKey }: Surroundings = {}): Client {
  const service = createService({ edge, now });
  const background: Promise<unknown>[] = [];
  return {
    fetch(path, init) {
      const url = new URL(path, "https://soprano.test");
      if (!url.searchParams.has("api_key")) url.search += `${url.search === "" ? "?" : "&"}api_key=${KEY}`;
      const bindings = {
        BUCKET: bucket ?? env.BUCKET,
        KEYS: keys ?? env.KEYS,
        ...(publicKey ? { PUBLIC_KEY: publicKey } : {}),
      };
      return service(new Request(url, init), bindings, (work) => background.push(work));
    },
    async settled() {
      await Promise.all(background.splice(0));
    },
  };
}
