/** What wrangler.toml says, and where wrangler keeps its local state. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import * as v from "valibot";
import { Failure } from "../lib/failure.ts";
import { HOME, PROJECT } from "./places.ts";

/** Where `wrangler dev` keeps its state by default. */
export const DEFAULT_PERSIST = join(HOME, ".wrangler", "state");

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

/**
 * The Worker and its bindings, as wrangler.toml configures them: the user's, else Soprano's own.
 *
 * @throws {Failure} the file is no TOML, or lacks what the Worker needs
 */
export async function readWranglerToml(home = HOME) {
  const path = [home, PROJECT].map((folder) => join(folder, "wrangler.toml")).find(existsSync);
  if (path === undefined) throw new Failure(`${join(PROJECT, "wrangler.toml")} is missing: install Soprano again.`);
  const result = v.safeParse(wranglerSchema, parsedToml(path, await readFile(path, "utf8")));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const wrong = issue.received === "undefined" ? "is missing" : `must be ${issue.expected}, and is ${issue.received}`;
  throw new Failure(
    `${path}: ${v.getDotPath(issue) ?? "the file"} ${wrong}; compare it with the wrangler.toml of Soprano.`,
  );
}

function parsedToml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const [what = ""] = (error as Error).message.split("\n");
    throw new Failure(`${path} can't be read (${what}): mend it.`, { cause: error });
  }
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
