/** API keys in KV. Only their hashes are stored: see data-schema/access/api-keys.ts. */

import { randomUUID } from "node:crypto";
import {
  API_KEY_PREFIX,
  type ApiKeyRecord,
  apiKeyName,
  DEFAULT_PLAN,
  type PlanName,
  parseApiKeyRecord,
  planOf,
} from "../../data-schema/access.ts";
import { advised } from "../lib/advised.ts";
import { Failure } from "../lib/failure.ts";
import { alignColumns } from "../lib/terminal/align.ts";
import type { KeyStore } from "./store.ts";

/** A key, which is shown once and never stored, and its id, which is no secret. */
export interface NewKey {
  key: string;
  id: string;
}

/** What a new key is made with. `isPublic`: everyone may read it, so its plan limits each client address on its own. */
interface KeyTerms {
  name: string;
  plan?: PlanName;
  expires?: string | undefined;
  isPublic?: boolean | undefined;
}

export async function createKey(
  keys: KeyStore,
  { name, plan = DEFAULT_PLAN, expires, isPublic = false }: KeyTerms,
): Promise<NewKey> {
  const key = randomUUID();
  // Random, too: an id must not reveal a part of the key.
  const id = randomUUID().slice(0, 8);
  const created = new Date().toISOString();
  const record: ApiKeyRecord = {
    id,
    name,
    plan,
    status: "active",
    created,
    ...(expires && { expires }),
    ...(isPublic && { public: true }),
  };
  await keys.put(await apiKeyName(key), JSON.stringify(record));
  return { key, id };
}

/** @returns records in order of creation, and names in KV of those that can't be read; their keys don't work */
export async function listKeys(keys: KeyStore): Promise<{ records: ApiKeyRecord[]; unreadable: string[] }> {
  const { stored, unreadable } = await storedKeys(keys);
  const records = stored.map(({ record }) => record).sort((a, b) => (a.created < b.created ? -1 : 1));
  return { records, unreadable };
}

/** @throws {Failure} no key has the id */
export async function revokeKey(keys: KeyStore, id: string): Promise<void> {
  const { name, record } = await findKey(keys, id);
  await keys.put(name, JSON.stringify({ ...record, status: "revoked" }));
}

/**
 * Replaces a key with a new one of the same name, plan and expiry, public if it was.
 *
 * @param grace how long the old key keeps working, in milliseconds; 0 revokes it
 * @returns the new key, and when the old one ends: now, if it is revoked
 * @throws {Failure} no key has the id, or the key has expired or was revoked
 */
export async function rotateKey(keys: KeyStore, id: string, grace: number): Promise<NewKey & { oldEnds: string }> {
  const { name, record } = await findKey(keys, id);
  const now = Date.now();
  const ends = record.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(record.expires);
  if (record.status === "revoked" || ends <= now) {
    throw new Failure(`Key ${id} no longer works, so it can't be replaced: create a new one.`);
  }
  const { plan, expires, public: isPublic } = record;
  // The new key first: whatever fails, one of the two works.
  const made = await createKey(keys, { name: record.name, plan: planOf(plan).name, expires, isPublic });
  const oldEnds = new Date(Math.min(ends, now + grace)).toISOString();
  const old: ApiKeyRecord = grace === 0 ? { ...record, status: "revoked" } : { ...record, expires: oldEnds };
  await keys.put(name, JSON.stringify(old));
  return { ...made, oldEnds };
}

/** A record, and its name in KV. */
type StoredKey = { name: string; record: ApiKeyRecord };

async function findKey(keys: KeyStore, id: string): Promise<StoredKey> {
  const found = (await storedKeys(keys)).stored.find(({ record }) => record.id === id);
  if (!found) throw new Failure(`No key has the id ${id}: ${advised("keys", "list")} lists all ids.`);
  return found;
}

/** One record that can't be read doesn't keep the others from being listed, revoked or replaced. */
async function storedKeys(keys: KeyStore): Promise<{ stored: StoredKey[]; unreadable: string[] }> {
  const stored: StoredKey[] = [];
  const unreadable: string[] = [];
  for (const [name, text] of await keys.all(API_KEY_PREFIX)) {
    const record = parseApiKeyRecord(text);
    if (record === undefined) unreadable.push(name);
    else stored.push({ name, record });
  }
  return { stored, unreadable };
}

/** A table of the keys, without the keys. */
export function formatKeys(records: readonly ApiKeyRecord[]): string {
  const rows = records.map(({ id, status, plan, public: isPublic, created, expires = "never", name }) => {
    return [id, status, planOf(plan).name, isPublic ? "yes" : "no", created, expires, name];
  });
  return alignColumns([["id", "status", "plan", "public", "created", "expires", "name"], ...rows]);
}
