/** Workers KV on Cloudflare, through its REST API: the namespace that wrangler.toml binds as KEYS. */

import * as v from "valibot";
import { Failure } from "../lib/failure.ts";
import { answerOf, type Environment, openAccount } from "./cloudflare.ts";
import type { KeyStore } from "./store.ts";
import { readWranglerToml } from "./wrangler.ts";

/** Values that Cloudflare returns in one request, at most. */
const MAX_VALUES = 100;

const listSchema = v.object({
  result: v.array(v.object({ name: v.string() })),
  result_info: v.optional(v.object({ cursor: v.optional(v.string()) })),
});
const valuesSchema = v.object({ result: v.object({ values: v.record(v.string(), v.nullable(v.string())) }) });

/**
 * @param environment CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN, a token that may edit Workers KV
 * @throws {Failure} a variable is missing, or wrangler.toml has no namespace yet; later, Cloudflare refuses a request
 */
export async function openRemoteKeys(environment: Environment): Promise<KeyStore> {
  const { kv_namespaces } = await readWranglerToml();
  return remoteKeys(kv_namespaces[0].id, environment);
}

/** @throws {Failure} as `openRemoteKeys` */
export function remoteKeys(namespace: string, environment: Environment): KeyStore {
  if (/^0+$/.test(namespace)) {
    throw new Failure(
      "wrangler.toml has no id for the namespace KEYS yet: enter the one that `npx wrangler kv namespace create KEYS` prints.",
    );
  }
  const account = openAccount(environment, "--remote", "may edit Workers KV");

  /** @returns the answer's text; undefined for 404 */
  async function ask(method: string, path: string, body?: string): Promise<string | undefined> {
    const mediaType = method === "PUT" ? "text/plain" : "application/json";
    const whole = `/storage/kv/namespaces/${namespace}${path}`;
    const { found, text } = await account({ method, path: whole, body, mediaType });
    return found ? text : undefined;
  }

  /** @throws {Failure} there is no such namespace */
  async function demand(...request: Parameters<typeof ask>): Promise<string> {
    const text = await ask(...request);
    if (text !== undefined) return text;
    throw new Failure(
      `The account has no KV namespace ${namespace}: check that CLOUDFLARE_ACCOUNT_ID and the id of KEYS in wrangler.toml belong together.`,
    );
  }

  async function names(prefix: string): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const text = await demand("GET", `/keys?${new URLSearchParams({ prefix, ...(cursor ? { cursor } : {}) })}`);
      const { result, result_info } = answerOf(listSchema, text);
      for (const { name } of result) found.push(name);
      if (!result_info?.cursor) return found;
      cursor = result_info.cursor;
    }
  }

  return {
    get: (name) => ask("GET", `/values/${encodeURIComponent(name)}`),
    async put(name, text) {
      await demand("PUT", `/values/${encodeURIComponent(name)}`, text);
    },
    async all(prefix) {
      const found = new Map<string, string>();
      const every = await names(prefix);
      for (let i = 0; i < every.length; i += MAX_VALUES) {
        const text = await demand("POST", "/bulk/get", JSON.stringify({ keys: every.slice(i, i + MAX_VALUES) }));
        for (const [name, value] of Object.entries(answerOf(valuesSchema, text).result.values)) {
          // A deleted name may stay listed for a while.
          if (value !== null) found.set(name, value);
        }
      }
      return found;
    },
  };
}
