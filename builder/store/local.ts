/**
 * The R2 and KV that `wrangler dev` keeps on this machine, opened from Node through Miniflare, so that both see the
 * same data.
 */

import { randomUUID } from "node:crypto";
import { access, constants, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Miniflare } from "miniflare";
import { parse } from "smol-toml";
import * as v from "valibot";
import { Failure, StoreFailure } from "../failure.ts";
import type { KeyStore, ListedObject, ObjectStore } from "./store.ts";

/** The project's own folder: wrangler.toml and the state of `wrangler dev` are in it. */
export const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** Where `wrangler dev` keeps its state, unless told otherwise. */
export const DEFAULT_PERSIST = join(PROJECT, ".wrangler", "state");

const wranglerSchema = v.object({
  compatibility_date: v.string(),
  compatibility_flags: v.optional(v.array(v.string()), []),
  r2_buckets: v.array(v.object({ binding: v.literal("BUCKET"), bucket_name: v.string() })),
  kv_namespaces: v.array(v.object({ binding: v.literal("KEYS"), id: v.string() })),
  ratelimits: v.array(
    v.object({
      name: v.string(),
      namespace_id: v.string(),
      simple: v.object({ limit: v.number(), period: v.picklist([10, 60]) }),
    }),
  ),
});

/** What wrangler.toml says of the Worker and its bindings. */
export async function readWranglerToml() {
  return v.parse(wranglerSchema, parse(await readFile(join(PROJECT, "wrangler.toml"), "utf8")));
}

/** What wrangler.toml says of the Worker and its bindings, in Miniflare's terms. */
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

/**
 * Makes the state folder, if it is not there.
 *
 * @throws {Failure} it can't be made or written
 */
export async function preparePersist(persist: string): Promise<void> {
  try {
    await mkdir(persist, { recursive: true });
    await access(persist, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new Failure(`The state folder ${persist} can't be written (${code}): choose another one with --persist.`);
  }
}

export interface LocalState {
  objects: ObjectStore;
  keys: KeyStore;
  close(): Promise<void>;
}

/** @throws {Failure} the folder can't be written */
export async function openLocalState(persist: string): Promise<LocalState> {
  await preparePersist(persist);
  // Only now: it takes a second to load, which a build to R2 does not need.
  const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");
  const token = randomUUID();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(await workerOptions(persist)),
      modules: true,
      script: OBJECT_SCRIPT,
      bindings: { TOKEN: token },
    }),
  );
  try {
    await miniflare.ready;
  } catch (error) {
    await miniflare.dispose().catch(() => {});
    const reason = String((error as Error).message).split("\n")[0];
    throw new Failure(`The state folder ${persist} can't be used (${reason}): choose another one with --persist.`);
  }
  return {
    objects: await localObjects(miniflare, persist, token),
    keys: await localKeys(miniflare),
    close: () => miniflare.dispose(),
  };
}

/**
 * Gets and puts objects from inside workerd: Miniflare's own binding for Node turns every body into base64 text, which
 * takes longer than making it. The token keeps other programs on this machine out.
 */
const OBJECT_SCRIPT = `export default {
  async fetch(request, { BUCKET, TOKEN }) {
    if (request.headers.get("x-token") !== TOKEN) return new Response(null, { status: 403 });
    const { key, options } = JSON.parse(decodeURIComponent(request.headers.get("x-object")));
    try {
      if (request.method === "GET") {
        const object = await BUCKET.get(key);
        if (object === null) return new Response(null, { status: 404 });
        return new Response(object.body, { headers: { "x-etag": object.etag } });
      }
      const object = await BUCKET.put(key, request.body, options);
      return new Response(null, { status: object === null ? 412 : 200 });
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
}`;

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 412;

/** What the script answers. */
interface Answer {
  status: number;
  etag: string;
  bytes: Uint8Array;
}

/** @throws {Error} why it failed, in a line */
async function throughWorker(
  miniflare: Miniflare,
  token: string,
  about: { key: string; options?: object },
  bytes?: Uint8Array,
): Promise<Answer> {
  const response = await miniflare.dispatchFetch("http://localhost/", {
    headers: {
      "x-token": token,
      "x-object": encodeURIComponent(JSON.stringify(about)),
      ...(bytes && { "content-length": String(bytes.length) }),
    },
    ...(bytes && { method: "PUT", body: bytes }),
  });
  const { status, headers } = response;
  const answer = new Uint8Array(await response.arrayBuffer());
  if (!response.ok && status !== NOT_FOUND && status !== PRECONDITION_FAILED) {
    throw new Error(new TextDecoder().decode(answer));
  }
  return { status, etag: headers.get("x-etag") ?? "", bytes: answer };
}

const firstLine = (error: unknown) => String((error as Error).message).split("\n")[0];

/** What R2 removes at once, at most. */
const MOST_DELETED = 1000;

async function localObjects(miniflare: Miniflare, persist: string, token: string): Promise<ObjectStore> {
  const bucket = await miniflare.getR2Bucket("BUCKET");
  return {
    name: persist,
    async get(key) {
      try {
        const { status, etag, bytes } = await throughWorker(miniflare, token, { key });
        return status === NOT_FOUND ? undefined : { bytes, etag };
      } catch (error) {
        throw new StoreFailure(
          `${key} can't be read in ${persist} (${firstLine(error)}): see whether the folder is whole, then try again.`,
        );
      }
    },
    async put(key, bytes, { contentType, sha256, metadata, replaces }) {
      const options = {
        sha256,
        httpMetadata: { contentType },
        ...(metadata ? { customMetadata: metadata } : {}),
        ...(replaces === undefined
          ? {}
          : { onlyIf: replaces === null ? { etagDoesNotMatch: "*" } : { etagMatches: replaces } }),
      };
      try {
        const { status } = await throughWorker(miniflare, token, { key, options }, bytes);
        return status !== PRECONDITION_FAILED;
      } catch (error) {
        throw new StoreFailure(
          `${key} can't be stored in ${persist} (${firstLine(error)}): see whether the disk is full, then build again.`,
        );
      }
    },
    async list(prefix) {
      const found = new Map<string, ListedObject>();
      for (let cursor: string | undefined; ; ) {
        const page = await bucket.list({ prefix, ...(cursor ? { cursor } : {}) });
        for (const { key, size, etag, uploaded } of page.objects) found.set(key, { size, md5: etag, uploaded });
        if (!page.truncated) return found;
        cursor = page.cursor;
      }
    },
    async delete(keys) {
      for (let i = 0; i < keys.length; i += MOST_DELETED) await bucket.delete(keys.slice(i, i + MOST_DELETED));
    },
    close: async () => {},
  };
}

async function localKeys(miniflare: Miniflare): Promise<KeyStore> {
  const namespace = await miniflare.getKVNamespace("KEYS");
  return {
    get: async (name) => (await namespace.get(name, "text")) ?? undefined,
    put: (name, text) => namespace.put(name, text),
    async all(prefix) {
      const found = new Map<string, string>();
      for (let cursor: string | undefined; ; ) {
        const page = await namespace.list({ prefix, ...(cursor ? { cursor } : {}) });
        for (const { name } of page.keys) {
          const text = await namespace.get(name, "text");
          if (text !== null) found.set(name, text);
        }
        if (page.list_complete) return found;
        cursor = page.cursor;
      }
    },
  };
}
