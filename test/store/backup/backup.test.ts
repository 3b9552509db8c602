/** Backups of stores that are folders: what is copied, in which order, and what is refused. */

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { backUp, restore } from "../../../builder/store/backup/backup.ts";
import { folderStore as openFolder } from "../../../builder/store/backup/folder-store.ts";
import type { KeyStore, ObjectStore } from "../../../builder/store/store.ts";
import { sha256Hex } from "../../../builder/store/stored-content.ts";
import { createKey, listKeys, revokeKey } from "../../../builder/store/stored-keys.ts";
import { scratchFolder } from "../../folders.ts";

function folderStore(path: string): ObjectStore {
  const store = openFolder(path);
  onTestFinished(() => store.close());
  return store;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function put(store: ObjectStore, key: string, text: string, metadata: Record<string, string> = {}) {
  const bytes = bytesOf(text);
  await store.put(key, bytes, { contentType: "application/json", sha256: sha256Hex(bytes), metadata });
}

/** The key of an object that is named by its content. */
const named = (text: string) => `series/A/day/sopr/all.${sha256Hex(bytesOf(text)).slice(0, 32)}.parquet`;

async function contentsOf(store: ObjectStore): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const key of (await store.list("")).keys()) {
    if (key.startsWith("backup/")) continue;
    const { bytes, metadata } = (await store.get(key))!;
    found[key] = [new TextDecoder().decode(bytes), metadata];
  }
  return found;
}

function memoryKeys(): KeyStore {
  const texts = new Map<string, string>();
  return {
    get: async (name) => texts.get(name),
    put: async (name, text) => void texts.set(name, text),
    all: async (prefix) => new Map([...texts].filter(([name]) => name.startsWith(prefix))),
  };
}

async function economy() {
  const folder = scratchFolder();
  const store = folderStore(join(folder, "store"));
  await put(store, named("one"), "one");
  await put(store, "builds/A/01.json", "{}", { build: '{"asOf":"2026-01-01"}' });
  await put(store, "current/A.json", "first", { catalog: '{"symbol":"A"}' });
  await put(store, "inputs/A/inputs.json", "[]");
  await put(store, "alerts/state.json", "{}");
  await put(store, "collections/A/lease.json", "{}");
  const keys = memoryKeys();
  const backup = folderStore(join(folder, "backup"));
  const backUpNow = () => backUp(store, keys, backup, silentProgress());
  return { folder, store, keys, backup, backUpNow };
}

/** Calls through, and lets a test do something before a call of `put`. */
const watched = (store: ObjectStore, before: (key: string) => Promise<void> | void): ObjectStore => ({
  ...store,
  async put(key, ...rest) {
    await before(key);
    return store.put(key, ...rest);
  },
});

it("copies objects, metadata and hashes of keys, and only what is new the next time", async () => {
  const { folder, store, keys, backup, backUpNow } = await economy();
  const { key, id } = await createKey(keys, { name: "alice" });
  expect(await backUpNow()).toMatchObject({ objects: 5, copied: 5, keys: 1, completes: false });
  expect(await backUpNow()).toMatchObject({ objects: 5, copied: 0 });
  await put(store, named("two"), "two");
  await put(store, "current/A.json", "second", { catalog: '{"symbol":"A","n":2}' });
  expect(await backUpNow()).toMatchObject({ objects: 6, copied: 2, copiedBytes: 9 });

  const { "collections/A/lease.json": _, ...own } = await contentsOf(store);
  const restored = folderStore(join(folder, "restored"));
  const found = memoryKeys();
  expect(await restore(backup, restored, found, silentProgress())).toMatchObject({ copied: 6, added: 1, kept: 0 });
  expect(await contentsOf(restored)).toEqual(own);
  expect((await listKeys(found)).records).toMatchObject([{ id, name: "alice", status: "active" }]);
  expect(JSON.stringify([...(await found.all("")).entries()])).not.toContain(key);
  // What has happened since stays: a restoration that is repeated gives no revoked key back.
  await revokeKey(found, id.slice(0, 4));
  expect(await restore(backup, restored, found, silentProgress())).toMatchObject({ copied: 0, added: 0, kept: 1 });
  expect((await listKeys(found)).records).toMatchObject([{ status: "revoked" }]);
});

it("copies a manifest last, and again with what it names if it changes meanwhile", async () => {
  const { store, backup } = await economy();
  const order: string[] = [];
  let hasChanged = false;
  const target = watched(backup, async (key) => {
    order.push(key);
    if (key !== named("one") || hasChanged) return;
    hasChanged = true;
    await put(store, named("two"), "two");
    await put(store, "current/A.json", "second");
  });
  await backUp(store, undefined, target, silentProgress());
  expect(order.indexOf("current/A.json")).toBeGreaterThan(order.indexOf(named("two")));
  const contents = await contentsOf(backup);
  expect(contents["current/A.json"]).toMatchObject(["second", {}]);
  expect(Object.keys(contents)).toContain(named("two"));
});

it("has no build whose objects a garbage collection took away meanwhile", async () => {
  const { store, backup } = await economy();
  await put(store, named("two"), "two");
  await put(store, "builds/A/02.json", "names two");
  let isCollected = false;
  const source: ObjectStore = {
    ...store,
    async get(key, range) {
      // Manifests go first, as in every collection.
      if (key.startsWith("series/") && !isCollected) await store.delete(["builds/A/02.json", named("two")]);
      isCollected ||= key.startsWith("series/");
      return store.get(key, range);
    },
  };
  await backUp(source, undefined, backup, silentProgress());
  expect(await contentsOf(backup)).toEqual(
    Object.fromEntries(Object.entries(await contentsOf(store)).filter(([key]) => !key.startsWith("collections/"))),
  );
});

it("serves no asset that was removed since, and one again that is published again; what was lost stays", async () => {
  const { store, backup, backUpNow } = await economy();
  await put(store, "current/B.json", "of B");
  await backUpNow();
  await put(store, "current/A.removed.json", "{}");
  await store.delete(["current/A.json", "current/B.json"]);
  await backUpNow();
  const active = async () => [...(await backup.list("current/")).keys()];
  expect(await active()).toEqual(["current/A.removed.json", "current/B.json"]);
  await store.delete(["current/A.removed.json"]);
  await put(store, "current/A.json", "again");
  await backUpNow();
  expect(await active()).toEqual(["current/A.json", "current/B.json"]);
});

it("ends after some rounds if the store never rests", async () => {
  const { store, backup } = await economy();
  let n = 0;
  const restless: ObjectStore = {
    ...store,
    async get(key, range) {
      if (key === "current/A.json") await put(store, key, `version ${n++}`);
      return store.get(key, range);
    },
  };
  await expect(backUp(restless, undefined, backup, silentProgress())).rejects.toThrow(
    "was written to during each of 5 rounds",
  );
});

it("knows a backup that was interrupted: it is completed, and not restored before", async () => {
  const { folder, backup, store, keys, backUpNow } = await economy();
  const failing = watched(backup, (key) => {
    if (key === "current/A.json") throw new Error("The power has failed.");
  });
  await expect(backUp(store, keys, failing, silentProgress())).rejects.toThrow("power");
  expect(Object.keys(await contentsOf(backup))).not.toContain("current/A.json");
  const restored = folderStore(join(folder, "restored"));
  await expect(restore(backup, restored, keys, silentProgress())).rejects.toThrow(
    /was interrupted after .* complete it/,
  );
  // The system ended while an object was written: there are bytes, and nothing says which.
  rmSync(join(folder, "backup", "metadata", "builds"), { recursive: true });
  writeFileSync(join(folder, "backup", "objects", "builds", "A", "01.json"), "ha");
  expect(await backUpNow()).toMatchObject({ completes: true });
  await restore(backup, restored, keys, silentProgress());
  expect((await contentsOf(restored))["builds/A/01.json"]).toMatchObject(["{}", { build: '{"asOf":"2026-01-01"}' }]);
});

it("goes on with a restoration that was interrupted, and refuses a store with anything else", async () => {
  const { folder, backup, backUpNow } = await economy();
  await backUpNow();
  const restored = folderStore(join(folder, "restored"));
  const failing = watched(restored, (key) => {
    if (key === "current/A.json") throw new Error("The power has failed.");
  });
  await expect(restore(backup, failing, undefined, silentProgress())).rejects.toThrow("power");
  expect((await restore(backup, restored, undefined, silentProgress())).copied).toBeLessThan(5);
  await put(restored, "current/A.json", "a later build");
  await expect(restore(backup, restored, undefined, silentProgress())).rejects.toThrow(
    "is not empty: it has 1 object that the backup lacks or has otherwise, such as current/A.json. Restore into an empty store.",
  );
});

it("copies all but what is damaged, and no manifest that would name it", async () => {
  const { folder, store, backup, backUpNow } = await economy();
  writeFileSync(join(folder, "store", "objects", named("one")), "ono");
  await expect(backUpNow()).rejects.toThrow(
    `${named("one")} in ${store.name} is damaged: its bytes are not those that were stored. All other objects`,
  );
  expect(Object.keys(await contentsOf(backup))).toEqual(["builds/A/01.json"]);
  await put(store, named("one"), "one");
  expect(await backUpNow()).toMatchObject({ completes: true, objects: 5 });
});

it("refuses a place that holds something else, the store itself, and names that lead out of a folder", async () => {
  const { folder, store, keys, backup, backUpNow } = await economy();
  await expect(backUp(store, keys, store, silentProgress())).rejects.toThrow("can't be a backup of itself");
  const other = folderStore(join(folder, "other"));
  await put(other, "current/B.json", "{}");
  await expect(backUp(store, keys, other, silentProgress())).rejects.toThrow("holds objects that are no backup");
  await expect(restore(other, backup, keys, silentProgress())).rejects.toThrow("holds no backup");
  await backUpNow();
  await expect(backUp(other, keys, backup, silentProgress())).rejects.toThrow(`is a backup of ${store.name}, not of`);
  await expect(put(other, "a/../../b", "{}")).rejects.toThrow("it is no name that Soprano gives an object");
  expect(readdirSync(folder).sort()).toEqual(["backup", "other", "store"]);
});
