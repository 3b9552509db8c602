/** A client of a Worker whose dependencies a test may replace. */

import { env } from "cloudflare:workers";
import { type ApiKeyRecord, apiKeyName } from "../../data-schema/access/api-keys.ts";
import type { LimitBinding } from "../../data-schema/access/plans.ts";
import { Isolate } from "../../worker/isolate.ts";
import { createService } from "../../worker/service.ts";

/** A key that is valid once `putKey()` has stored it. */
export const KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";

/** Stores a key's record, of a plan without a limit unless `changes` name another. */
export async function putKey(
  key: string = KEY,
  changes: { [Member in keyof ApiKeyRecord]?: ApiKeyRecord[Member] | undefined } = {},
): Promise<void> {
  const created = "2024-01-01T00:00:00Z";
  const record = { id: "k1", name: "Tests", status: "active", plan: "unlimited", created, ...changes };
  await env.KEYS.put(await apiKeyName(key), JSON.stringify(record));
}

const KEY_HEADERS = ["Authorization", "X-Api-Key"];

export interface Dependencies {
  bucket?: R2Bucket;
  keys?: KVNamespace;
  /** No limits if left out. */
  limits?: Partial<Record<LimitBinding, RateLimit>>;
  /** No cache if left out: every read that is not answered from memory reaches the bucket. */
  edge?: Cache | null;
  now?: () => number;
  /** A new one if left out. */
  isolate?: Isolate;
  publicKey?: string;
  gzipPoints?: string;
  usage?: AnalyticsEngineDataset;
}

export interface Client {
  /** Sends a request; `KEY` is added unless the path or the headers give a key. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Waits for the work that continues after the responses. */
  settled(): Promise<void>;
}

/** A client of a Worker in its own isolate, with empty caches. */
export function freshIsolate({
  bucket,
  keys,
  limits,
  edge = null,
  now = Date.now,
  isolate = new Isolate(),
  publicKey,
  gzipPoints,
  usage,
}: Dependencies = {}): Client {
  const service = createService({ edge, now, isolate });
  const background: Promise<unknown>[] = [];
  return {
    fetch(path, init) {
      const url = new URL(path, "https://soprano.test");
      const brings =
        url.searchParams.has("api_key") || KEY_HEADERS.some((name) => new Headers(init?.headers).has(name));
      if (!brings) url.search += `${url.search === "" ? "?" : "&"}api_key=${KEY}`;
      const bindings = {
        BUCKET: bucket ?? env.BUCKET,
        KEYS: keys ?? env.KEYS,
        ...limits,
        ...(publicKey === undefined ? {} : { PUBLIC_KEY: publicKey }),
        ...(gzipPoints === undefined ? {} : { GZIP_POINTS: gzipPoints }),
        ...(usage === undefined ? {} : { USAGE: usage }),
      };
      return service(new Request(url, init), bindings, (work) => background.push(work));
    },
    async settled() {
      await Promise.all(background.splice(0));
    },
  };
}
