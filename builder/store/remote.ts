/** Workers KV on Cloudflare, through its REST API: the namespace that wrangler.toml binds as KEYS. */

import * as v from "valibot";
import { Failure } from "../failure.ts";
import type { KeyStore } from "./store.ts";
import { readWranglerToml } from "./wrangler.ts";

/** Wrangler's variable CLOUDFLARE_API_BASE_URL overrides it. */
const API = "https://api.cloudflare.com/client/v4";

/** Values that Cloudflare returns in one request, at most. */
const MAX_VALUES = 100;

const listSchema = v.object({
  result: v.array(v.object({ name: v.string() })),
  result_info: v.optional(v.object({ cursor: v.optional(v.string()) })),
});
const valuesSchema = v.object({ result: v.object({ values: v.record(v.string(), v.nullable(v.string())) }) });
const errorsSchema = v.object({ errors: v.array(v.object({ message: v.string() })) });

export type Environment = Readonly<Record<string, string | undefined>>;

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
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_BASE_URL: api } = environment;
  if (/^0+$/.test(namespace)) {
    throw new Failure(
      "wrangler.toml has no id for the namespace KEYS yet: enter the one that `npx wrangler kv namespace create KEYS` prints.",
    );
  }
  if (!account || !token) {
    throw new Failure("--remote needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN in the environment.");
  }
  const base = `${api || API}/accounts/${encodeURIComponent(account)}/storage/kv/namespaces/${namespace}`;

  /** @returns the answer's text; undefined for 404 */
  async function ask(method: string, path: string, body?: string): Promise<string | undefined> {
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": method === "PUT" ? "text/plain" : "application/json",
    };
    const response = await fetch(base + path, { method, headers, ...(body === undefined ? {} : { body }) }).catch(
      () => {
        throw new Failure("Cloudflare's API can't be reached: check that this machine is online.");
      },
    );
    const text = await response.text();
    if (response.ok) return text;
    if (response.status === 404) return undefined;
    throw new Failure(
      `Cloudflare refused (${response.status}${reasons(text)}): check that CLOUDFLARE_API_TOKEN may edit Workers KV.`,
    );
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
      found.push(...result.map(({ name }) => name));
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

/** @throws {Failure} the text is not an answer of Cloudflare's API */
function answerOf<const T extends v.GenericSchema>(schema: T, text: string): v.InferOutput<T> {
  try {
    return v.parse(schema, JSON.parse(text));
  } catch {
    throw new Failure(
      "The answer is not from Cloudflare's API: check CLOUDFLARE_API_BASE_URL, and any proxy on the way.",
    );
  }
}

/** Why Cloudflare refused, as it says. */
function reasons(text: string): string {
  try {
    return v
      .parse(errorsSchema, JSON.parse(text))
      .errors.map(({ message }) => `, ${message}`)
      .join("");
  } catch {
    return "";
  }
}
