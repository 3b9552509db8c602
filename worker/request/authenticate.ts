/** API key → the caller's record. A key is handled only as its SHA-256. */

import { API_KEY_PATTERN, type ApiKeyRecord, apiKeyName, parseApiKeyRecord } from "../../data-schema/access.ts";
import type { Context } from "../context.ts";
import { Problem } from "../problems/problem.ts";
import { guesserOf, limitAddress } from "./limit.ts";

/** How long an isolate trusts a record that it has read. */
const MEMORY_MS = 30_000;
/** How long it remembers that there is no such key. */
const UNKNOWN_MS = 10_000;
/** How long keys of an address that gave a wrong one are not looked up where none is needed. */
const GUESSER_MS = 60_000;
/** How long a location of KV trusts what it has read: a record, or that there is none. */
const KV_CACHE_SECONDS = 60;

/**
 * The record of the request's key. If this isolate does not remember the key as valid, the request first counts against
 * the limit of its address, so that guesses do not reach KV without limit.
 *
 * @throws {Problem} 400 given twice; 401 missing, malformed or unknown; 403 revoked or expired; 429 too many from this
 *   address; 503 KV out of reach; 500 a record that cannot be read
 */
export async function authenticate(
  request: Request,
  parameters: URLSearchParams,
  context: Context,
): Promise<ApiKeyRecord> {
  const key = keyOf(request.headers, parameters);
  const { name, record: recalled } = await recall(key, request, context);
  if (key instanceof Problem) throw key;
  const record = recalled ?? (await read(name!, context));
  const refused = refusal(record, context);
  if (refused !== null) throw refused;
  return record;
}

/**
 * The record of a valid key in the headers of a request that needs none; null without one. Nothing is said of a wrong key:
 * the request counts against its address as if there were none, before KV is read, and for a minute other keys of that
 * address are not looked up at all.
 *
 * @throws {Problem} 429 too many from this address
 */
export async function keyRecord(request: Request, context: Context): Promise<ApiKeyRecord | null> {
  const { isolate, now } = context;
  const key = keyOf(request.headers, new URLSearchParams());
  const { name, record: recalled, wasValid } = await recall(key, request, context);
  if (name === null) return null;
  const guesser = guesserOf(request);
  const isGuesser = now() - (isolate.guessers.get(guesser) ?? Number.NEGATIVE_INFINITY) < GUESSER_MS;
  if (recalled === undefined && isGuesser && !wasValid) return null;
  const record = recalled ?? (await readOrNull(name, context));
  if (record !== null && refusal(record, context) === null) return record;
  if (recalled === undefined) isolate.guessers.set(guesser, now());
  return null;
}

/** What this isolate remembers of a key. */
interface Recalled {
  /** Null: it has the form of no key. */
  name: string | null;
  /** Undefined: it needs to be read. */
  record: ApiKeyRecord | undefined;
  wasValid: boolean;
}

/** Recalls a key. If the isolate does not remember it as valid, the request counts against its address before KV is read. */
async function recall(key: string | Problem, request: Request, context: Context): Promise<Recalled> {
  const name = key instanceof Problem ? null : await apiKeyName(key);
  const known = name === null ? undefined : context.isolate.keys.get(name);
  const wasValid = known !== undefined && refusal(known.value, context) === null;
  // Many requests at once may find that a record needs to be read again: none of them is a guess.
  if (!wasValid) await limitAddress(request, context);
  const isFresh = known !== undefined && context.now() - known.readAt < MEMORY_MS;
  return { name, record: isFresh ? known.value : undefined, wasValid };
}

async function readOrNull(name: string, context: Context): Promise<ApiKeyRecord | null> {
  try {
    return await read(name, context);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** The key that the request gives in the query, in X-Api-Key or as a bearer token; or what is wrong. */
function keyOf(headers: Headers, parameters: URLSearchParams): string | Problem {
  const parameter = { parameter: "api_key" };
  const inQuery = parameters.getAll("api_key");
  if (inQuery.length > 1) return new Problem("repeated-parameter", "Give api_key once.", parameter);
  const [, bearer] = headers.get("Authorization")?.match(/^Bearer +(.*)$/i) ?? [];
  // Keys are case-insensitive.
  const given = [inQuery[0], headers.get("X-Api-Key"), bearer].flatMap((key) => (key ? [key.toLowerCase()] : []));
  const [key, ...others] = new Set(given);
  if (key === undefined) {
    return new Problem(
      "missing-key",
      "Give your API key as Authorization: Bearer, as X-Api-Key or as the parameter api_key.",
      parameter,
    );
  }
  if (others.length > 0) {
    return new Problem("conflicting-keys", "The request gives different API keys. Give one, in one place.", parameter);
  }
  if (!API_KEY_PATTERN.test(key)) {
    return new Problem("malformed-key", "An API key is a UUID: 8-4-4-4-12 hexadecimal digits.", parameter);
  }
  return key;
}

/** Why a key is no longer valid; null while it is. */
function refusal({ status, expires }: ApiKeyRecord, { now }: Context): Problem | null {
  if (status === "revoked") return new Problem("revoked-key", "This API key has been revoked.");
  if (expires !== undefined && Date.parse(expires) <= now()) {
    return new Problem("expired-key", "This API key has expired.");
  }
  return null;
}

/** Unknown keys are remembered only briefly, so that a new key works soon, although it was tried before it was made. */
async function read(name: string, { bindings, isolate, now }: Context): Promise<ApiKeyRecord> {
  const unknown = () => new Problem("unknown-key", "There is no such API key.", { parameter: "api_key" });
  if (now() - (isolate.unknownKeys.get(name) ?? Number.NEGATIVE_INFINITY) < UNKNOWN_MS) throw unknown();
  let text: string | null;
  try {
    text = await bindings.KEYS.get(name, { type: "text", cacheTtl: KV_CACHE_SECONDS });
  } catch (cause) {
    throw new Problem("keys-unavailable", "API keys cannot be checked at the moment. Try again soon.", {}, cause);
  }
  if (text === null) {
    isolate.keys.delete(name);
    isolate.unknownKeys.set(name, now());
    throw unknown();
  }
  const record = parseApiKeyRecord(text);
  if (record === undefined) {
    const fault = new Error(`the record ${name} cannot be read`);
    throw new Problem("internal-error", "The record of this API key cannot be read.", {}, fault);
  }
  isolate.keys.set(name, { value: record, readAt: now() });
  return record;
}
