/** What wrangler.toml says, and where wrangler keeps its local state. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import * as v from "valibot";

/** The project's folder. */
export const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** Where `wrangler dev` keeps its state by default. */
export const DEFAULT_PERSIST = join(PROJECT, ".wrangler", "state");

const wranglerSchema = v.object({
  compatibility_date: v.string(),
  compatibility_flags: v.optional(v.array(v.string()), []),
  assets: v.object({ binding: v.literal("ASSETS"), run_worker_first: v.array(v.string()) }),
  r2_buckets: v.array(v.object({ binding: v.literal("BUCKET"), bucket_name: v.string() })),
  kv_namespaces: v.tuple([v.object({ binding: v.literal("KEYS"), id: v.string() })]),
  analytics_engine_datasets: v.optional(v.array(v.object({ binding: v.literal("USAGE"), dataset: v.string() })), []),
  ratelimits: v.array(
    v.object({
      name: v.string(),
      namespace_id: v.string(),
      simple: v.object({ limit: v.number(), period: v.picklist([10, 60]) }),
    }),
  ),
});

/** The Worker and its bindings, as wrangler.toml configures them. */
export async function readWranglerToml() {
  return v.parse(wranglerSchema, parse(await readFile(join(PROJECT, "wrangler.toml"), "utf8")));
}

/** Which paths run the Worker and which are static files, and how it reads those, as options of Miniflare. */
export async function assetRouting() {
  const { binding, run_worker_first } = (await readWranglerToml()).assets;
  return { binding, run_worker_first, routerConfig: { has_user_worker: true } };
}

/** The Worker and its bindings as options of Miniflare. */
export async function workerOptions(persist: string) {
  const config = await readWranglerToml();
  return {
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    r2Buckets: Object.fromEntries(config.r2_buckets.map((bucket) => [bucket.binding, bucket.bucket_name])),
    kvNamespaces: Object.fromEntries(config.kv_namespaces.map((namespace) => [namespace.binding, namespace.id])),
    ratelimits: Object.fromEntries(config.ratelimits.map(({ name, ...limit }) => [name, limit])),
    // `wrangler dev --persist-to X` keeps its state in X/v3.
    resourcePersistencePath: join(persist, "v3"),
  };
}
