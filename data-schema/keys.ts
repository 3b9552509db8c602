/** API keys: UUIDs, of which only the SHA-256 is stored. Source: design "HTTP". */

/** A key as a client sends it, in any case. */
export const API_KEY_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What KV holds under `apiKeyName(key)`. Times are ISO 8601, UTC. */
export interface ApiKeyRecord {
  id: string;
  name: string;
  status: "active" | "revoked";
  created: string;
  expires?: string;
  plan?: string;
}

export const API_KEY_PREFIX = "key:";

/** The name in KV of a key's record: `key:` and the hex SHA-256 of the key in lower case. */
export async function apiKeyName(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key.toLowerCase()));
  return API_KEY_PREFIX + Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
