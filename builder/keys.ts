/** API keys in KV: only their hashes are stored. Source: data-schema/keys.ts. */

import { randomUUID } from "node:crypto";
import { API_KEY_PREFIX, type ApiKeyRecord, apiKeyName } from "../data-schema/keys.ts";
import { Failure } from "./failure.ts";
import type { KeyStore } from "./store/store.ts";

/** Makes a key. It is returned this once and stored nowhere. */
export async function createKey(
  keys: KeyStore,
  { name, expires }: { name: string; expires?: string },
): Promise<{ key: string; id: string }> {
  const key = randomUUID();
  const record: ApiKeyRecord = {
    // Not part of the key: an id may be shown.
    id: randomUUID().slice(0, 8),
    name,
    status: "active",
    created: new Date().toISOString(),
    ...(expires ? { expires } : {}),
  };
  await keys.put(await apiKeyName(key), JSON.stringify(record));
  return { key, id: record.id };
}

export async function listKeys(keys: KeyStore): Promise<ApiKeyRecord[]> {
  const records = (await storedKeys(keys)).map(({ record }) => record);
  return records.sort((a, b) => (a.created < b.created ? -1 : 1));
}

/** @throws {Failure} no key has the id */
export async function revokeKey(keys: KeyStore, id: string): Promise<void> {
  const stored = (await storedKeys(keys)).find(({ record }) => record.id === id);
  if (!stored) throw new Failure(`No key has the id ${id}: \`soprano keys list\` shows all ids.`);
  await keys.put(stored.name, JSON.stringify({ ...stored.record, status: "revoked" }));
}

async function storedKeys(keys: KeyStore): Promise<{ name: string; record: ApiKeyRecord }[]> {
  const stored: { name: string; record: ApiKeyRecord }[] = [];
  for (const name of await keys.list(API_KEY_PREFIX)) {
    const text = await keys.get(name);
    if (text !== undefined) stored.push({ name, record: JSON.parse(text) });
  }
  return stored;
}

/** A table of the keys, without the keys. */
export function formatKeys(records: readonly ApiKeyRecord[]): string {
  const rows = [
    ["id", "status", "created", "expires", "name"],
    ...records.map(({ id, status, created, expires, name }) => [id, status, created, expires ?? "never", name]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, c) => cell.padEnd(widths[c]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
