/** A Worker of this project in workerd, without limits. */

import type { Miniflare } from "miniflare";
import { workerModules } from "../../builder/serve/bundle.ts";
import { workerOptions } from "../../builder/store/wrangler.ts";
import { apiKeyName } from "../../data-schema/access/api-keys.ts";
import { startMiniflare } from "../store/start-miniflare.ts";
import type { Bucket } from "./made-up-token.ts";

/** A valid key of every Worker. */
export const API_KEY = "3f2b8c1e-5d4a-4f6b-9a7c-0e1d2c3b4a59";

export interface RunningWorker {
  miniflare: Miniflare;
  bucket(): Promise<Bucket>;
  /** Asks with the key, unless the headers have one. */
  ask(path: string, init?: { method?: string; headers?: Record<string, string>; body?: string }): Promise<Answer>;
  close(): Promise<void>;
}

type Answer = Awaited<ReturnType<Miniflare["dispatchFetch"]>>;

/**
 * @param entry its path in the project
 * @param folder for the objects and keys; left out: in memory
 */
export async function startWorker(entry: string, folder?: string): Promise<RunningWorker> {
  const { ratelimits: _, resourcePersistencePath, ...options } = await workerOptions(folder ?? "");
  const miniflare = startMiniflare({
    ...options,
    ...(await workerModules(entry)),
    ...(folder !== undefined && { resourcePersistencePath }),
    // What attacks cause is logged, too.
    handleStructuredLogs: () => {},
  });
  const record = { id: "k1", name: "Tests", status: "active", plan: "unlimited", created: "2024-01-01T00:00:00Z" };
  await (await miniflare.getKVNamespace("KEYS")).put(await apiKeyName(API_KEY), JSON.stringify(record));
  return {
    miniflare,
    bucket: () => miniflare.getR2Bucket("BUCKET") as unknown as Promise<Bucket>,
    ask: (path, init) =>
      miniflare.dispatchFetch(`http://localhost${path}`, {
        ...init,
        headers: { "X-Api-Key": API_KEY, ...init?.headers },
      }),
    close: () => miniflare.dispose(),
  };
}
