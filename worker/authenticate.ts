/** API key → the record of who calls. A key is only ever handled as its SHA-256. */

import * as v from "valibot";
import { API_KEY_PATTERN, type ApiKeyRecord, apiKeyName } from "../data-schema/keys.ts";
import type { Context } from "./context.ts";
import { Problem } from "./problems.ts";

/** How long an isolate trusts a record it has read. */
const MEMORY_MS = 30_000;
/** How long a KV location trusts a record it has read; the least that KV allows. */
const KV_CACHE_SECONDS = 60;

/** A time, or a date for its midnight. */
const time = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text))),
);

const recordSchema = v.object({
  id: v.string(),
  name: v.string(),
  status: v.picklist(["active", "revoked"]),
  created: time,
  expires: v.exactOptional(time),
  plan: v.exactOptional(v.string()),
});

/**
 * The record of the request's key.
 *
 * @throws {Problem} 400 given twice; 401 missing, malformed or unknown; 403 revoked or expired; 503 KV out of reach;
 *   500 a record that cannot be read
 */
export async function authenticate(parameters: URLSearchParams, context: Context): Promise<ApiKeyRecord> {
  const keys = parameters.getAll("api_key");
  if (keys.length > 1) {
    throw new Problem("repeated-parameter", "Give api_key once.", { parameter: "api_key" });
  }
  const key = keys[0];
  if (key === undefined || key === "") {
    throw new Problem("missing-key", "Give your API key as the parameter api_key.", { parameter: "api_key" });
  }
  if (!API_KEY_PATTERN.test(key)) {
    throw new Problem("malformed-key", "An API key is a UUID: 8-4-4-4-12 hexadecimal digits.", {
      parameter: "api_key",
    });
  }
  const record = await find(await apiKeyName(key), context);
  if (record === null) throw new Problem("unknown-key", "There is no such API key.", { parameter: "api_key" });
  if (record.status === "revoked") throw new Problem("revoked-key", "This API key has been revoked.");
  if (record.expires !== undefined && Date.parse(record.expires) <= context.now()) {
    throw new Problem("expired-key", "This API key has expired.");
  }
  return record;
}

/** Unknown keys are not remembered, so that a new one works at once and guesses take no memory. */
async function find(name: string, { bindings, isolate, now }: Context): Promise<ApiKeyRecord | null> {
  const known = isolate.keys.get(name);
  if (known !== undefined && now() - known.readAt < MEMORY_MS) return known.value;
  let text: string | null;
  try {
    text = await bindings.KEYS.get(name, { type: "text", cacheTtl: KV_CACHE_SECONDS });
  } catch (cause) {
    throw new Problem("keys-unavailable", "API keys cannot be checked at the moment. Try again soon.", {}, cause);
  }
  if (text === null) return null;
  const record = parseRecord(text, name);
  isolate.keys.set(name, { value: record, readAt: now() });
  return record;
}

function parseRecord(text: string, name: string): ApiKeyRecord {
  try {
    return v.parse(recordSchema, JSON.parse(text));
  } catch {
    // The parser's own message would quote the record.
    const fault = new Error(`the record ${name} cannot be read`);
    throw new Problem("internal-error", "The record of this API key cannot be read.", {}, fault);
  }
}
