/** API keys: UUIDs, of which only the SHA-256 is stored. Source: docs/formats.md#api-keys. */

import * as v from "valibot";
import { textDigest } from "../text/bytes.ts";

/** A key as a client sends it, in any case. */
export const API_KEY_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

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
  /** Whether everyone may read the key: its plan then limits each client address on its own. */
  public: v.exactOptional(v.boolean()),
});

/** What KV holds under `apiKeyName(key)`. Times are ISO 8601, UTC. */
export type ApiKeyRecord = v.InferOutput<typeof recordSchema>;

/** Reads a record; undefined if the text is not one, for instance because of a mistake by hand. */
export function parseApiKeyRecord(text: string): ApiKeyRecord | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), recordSchema), text);
  return result.success ? result.output : undefined;
}

export const API_KEY_PREFIX = "key:";

/** The name in KV of a key's record: `key:` and the hex SHA-256 of the key in lower case. */
export async function apiKeyName(key: string): Promise<string> {
  return API_KEY_PREFIX + (await textDigest(key.toLowerCase()));
}
