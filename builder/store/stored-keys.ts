/** API keys in KV. Only their hashes are stored: see data-schema/access/api-keys.ts. */

import { randomUUID } from "node:crypto";
import * as v from "valibot";
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

/**
 * @param id or its first digits, as many as identify it
 * @returns the whole id
 * @throws {Failure} no key has the id, or several begin with it
 */
export async function revokeKey(keys: KeyStore, id: string): Promise<string> {
  const { name, record } = await findKey(keys, id);
  await keys.put(name, JSON.stringify({ ...record, status: "revoked" }));
  return record.id;
}

/**
 * Replaces a key with a new one of the same name, plan and expiry, public if it was.
 *
 * @param grace how long the old key keeps working, in milliseconds; 0 revokes it
 * @returns the new key, the old one's whole id, and when that ends: now, if it is revoked
 * @throws {Failure} no key has the id, several begin with it, or the key has expired or was revoked
 */
export async function rotateKey(
  keys: KeyStore,
  id: string,
  grace: number,
): Promise<NewKey & { oldId: string; oldEnds: string }> {
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
  return { ...made, oldId: record.id, oldEnds };
}

const EXPORTED = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    schema: v.literal(1),
    /** Records by their names in KV: the hashes of keys, and no key. */
    keys: v.record(v.pipe(v.string(), v.regex(/^key:[0-9a-f]{64}$/)), v.unknown()),
  }),
);

/** All records as JSON, in the order of their names; those that can't be read are left out. Source: docs/backups.md#keys. */
export async function exportKeys(keys: KeyStore): Promise<{ text: string; keys: number }> {
  const { stored } = await storedKeys(keys);
  const records = stored.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, record }) => [name, record]);
  return {
    text: `${JSON.stringify({ schema: 1, keys: Object.fromEntries(records) }, null, 2)}\n`,
    keys: records.length,
  };
}

/** Records that were added, and those that were there, which stay as they are: a key that was revoked here stays revoked. */
export interface ImportedKeys {
  added: number;
  kept: number;
}

/** @throws {Failure} it is nothing that `exportKeys` has written; then no key is added */
export async function importKeys(keys: KeyStore, text: string): Promise<ImportedKeys> {
  const read = v.safeParse(EXPORTED, text);
  const records = read.success
    ? Object.entries(read.output.keys).map(([name, record]) => ({
        name,
        record: parseApiKeyRecord(JSON.stringify(record)),
      }))
    : [];
  if (!read.success || records.some(({ record }) => record === undefined)) {
    throw new Failure("The keys can't be read: give what keys export has printed, as it is.");
  }
  const there = await keys.all(API_KEY_PREFIX);
  const lacking = records.filter(({ name }) => !there.has(name));
  for (const { name, record } of lacking) await keys.put(name, JSON.stringify(record));
  return { added: lacking.length, kept: records.length - lacking.length };
}

/** A record, and its name in KV. */
type StoredKey = { name: string; record: ApiKeyRecord };

async function findKey(keys: KeyStore, id: string): Promise<StoredKey> {
  const { stored } = await storedKeys(keys);
  const whole = stored.filter(({ record }) => record.id === id);
  const found = whole.length > 0 ? whole : stored.filter(({ record }) => record.id.startsWith(id.toLowerCase()));
  const [first, second] = found;
  if (first && !second) return first;
  const which = first ? `${found.length} keys have ids that begin with ${id}` : `No key has the id ${id}`;
  throw new Failure(`${which}: ${advised("keys", "list")} lists all ids.`);
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
