/** The R2 and KV that `wrangler dev` keeps on this machine. */

import { hash, randomBytes } from "node:crypto";
import { access, constants, mkdir } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import * as v from "valibot";
import { SHA256_METADATA } from "../../../data-schema/stored.ts";
import { Failure, StoreFailure, writeProblem } from "../../lib/failure.ts";
import { type KeyStore, MD5_ETAG, type ObjectStore, type StoredKey, type StoredObject } from "../store.ts";
import { readWranglerToml } from "../wrangler.ts";
import { endOfPrefix, MiniflareFiles } from "./miniflare-files.ts";

/**
 * Creates the state folder, if it doesn't exist.
 *
 * @throws {Failure} it can't be created or written
 */
export async function preparePersist(persist: string): Promise<void> {
  try {
    await mkdir(persist, { recursive: true });
    await access(persist, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new Failure(`The state folder ${persist} can't be written (${code}): choose another one with --persist.`);
  }
}

/** Closing the objects closes the state. */
export interface LocalState {
  objects: ObjectStore;
  keys: KeyStore;
  close(): Promise<void>;
}

/** @throws {Failure} the folder can't be used */
export async function openLocalState(persist: string): Promise<LocalState> {
  await preparePersist(persist);
  const { r2_buckets, kv_namespaces } = await readWranglerToml();
  const opened: MiniflareFiles[] = [];
  const close = async () => {
    for (const files of opened) files.close();
  };
  try {
    opened.push(new MiniflareFiles(persist, "r2", r2_buckets[0]!.bucket_name));
    opened.push(new MiniflareFiles(persist, "kv", kv_namespaces[0].id));
  } catch (error) {
    await close();
    throw new StoreFailure(
      `The state folder ${persist} can't be used; ${problemOf(error)}, or choose another one with --persist.`,
      { cause: error },
    );
  }
  const [bucket, namespace] = opened as [MiniflareFiles, MiniflareFiles];
  return { objects: { ...localObjects(bucket, persist), close }, keys: localKeys(namespace, persist), close };
}

const DAMAGED = "its database is damaged: restore the folder";

/** What a user can do about the codes of SQLite. */
const DATABASE_PROBLEMS: Record<number, string> = {
  5: "another program has locked its database for too long: let it finish",
  8: "its database is read-only: change the permissions of the folder",
  10: "the disk does not work or is full: make room",
  11: DAMAGED,
  13: "the disk is full: make room",
  14: "its database can't be opened: change the permissions of the folder",
  26: DAMAGED,
};

/** Why a call failed and what to do, as part of a sentence. */
function problemOf(error: unknown): string {
  const { errcode, message } = error as Error & { errcode?: number };
  // The lowest byte is the kind, the others its details.
  const known = errcode === undefined ? writeProblem(error) : DATABASE_PROBLEMS[errcode & 0xff];
  return known ?? `${message}: check the folder`;
}

/** Runs a call on the files. @throws {StoreFailure} in place of what the system or SQLite throws */
async function explained<T>(files: MiniflareFiles, persist: string, what: string, call: () => Promise<T>): Promise<T> {
  // SQLite answers at once: whoever asks again and again until something is there must let timers and files have their turn.
  await setImmediate();
  try {
    if (files.isInPlace()) return await call();
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (files.isInPlace()) {
      throw new StoreFailure(`${what} in ${persist}; ${problemOf(error)}, then try again.`, { cause: error });
    }
  }
  throw new StoreFailure(`The state folder ${persist} was removed while it was in use: run the command again.`);
}

/** What is read of an object's row. An object that was uploaded in parts has no blob of its own. */
const objectRow = v.object({
  blob_id: v.nullable(v.string()),
  etag: v.string(),
  size: v.number(),
  /** JSON. */
  checksums: v.string(),
  custom_metadata: v.string(),
});

const blobRow = v.object({ blob_id: v.string() });

function localObjects(files: MiniflareFiles, persist: string): Omit<ObjectStore, "close"> {
  const { database } = files;
  const rowOf = database.prepare(
    "SELECT blob_id, etag, size, checksums, custom_metadata FROM _mf_objects WHERE key = ?",
  );
  const partsOf = database.prepare("SELECT blob_id FROM _mf_multipart_parts WHERE object_key = ? ORDER BY part_number");
  const removeParts = database.prepare("DELETE FROM _mf_multipart_parts WHERE object_key = ?");
  const removeRow = database.prepare("DELETE FROM _mf_objects WHERE key = ?");
  const insertRow = database.prepare(
    "INSERT INTO _mf_objects (key, blob_id, version, size, etag, uploaded, checksums, http_metadata, custom_metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const listed = database.prepare("SELECT key, size, etag, uploaded FROM _mf_objects WHERE key >= ? AND key < ?");

  const find = (key: string) => {
    const found = rowOf.get(key);
    if (!found) return undefined;
    const row = v.parse(objectRow, found);
    const blobs = row.blob_id === null ? v.parse(v.array(blobRow), partsOf.all(key)) : [{ blob_id: row.blob_id }];
    return { ...row, blobs: blobs.map(({ blob_id }) => blob_id) };
  };
  /** @returns its blobs */
  const remove = (key: string) => {
    const blobs = find(key)?.blobs ?? [];
    removeParts.run(key);
    removeRow.run(key);
    return blobs;
  };
  const call = <T>(what: string, work: () => Promise<T>) => explained(files, persist, what, work);
  return {
    name: persist,
    get: (key, range) =>
      call(`${key} can't be read`, async () => {
        for (let attempt = 1; ; attempt++) {
          const row = find(key);
          if (!row) return undefined;
          const bytes = await files.readBlobs(row.blobs, range);
          // Another process may have replaced it meanwhile.
          if (bytes === undefined && attempt === 1) continue;
          return storedObject(row, bytes ?? new Uint8Array(), range === undefined);
        }
      }),
    put: (key, content, { contentType, sha256, md5: known, metadata = {}, replaces }) =>
      call(`${key} can't be stored`, async () => {
        const { id, digests } = await files.writeBlob(content, known);
        if (digests.sha256 !== sha256) {
          files.removeBlobs([id]);
          throw new StoreFailure(`${key} can't be stored in ${persist}: its bytes are not those of its SHA-256.`);
        }
        const version = randomBytes(16).toString("hex");
        const [checksums, http, custom] = [{ sha256 }, { contentType }, metadata].map((json) => JSON.stringify(json));
        const { size, md5 } = digests;
        try {
          const replaced = files.transaction(() => {
            if (replaces !== undefined && (find(key)?.etag ?? null) !== replaces) return undefined;
            const blobs = remove(key);
            insertRow.run(key, id, version, size, md5, Date.now(), checksums!, http!, custom!);
            return blobs;
          });
          files.removeBlobs(replaced ?? [id]);
          return replaced !== undefined;
        } catch (error) {
          files.removeBlobs([id]);
          throw error;
        }
      }),
    list: (prefix) =>
      call(`What begins with ${prefix} can't be listed`, async () => {
        const found = new Map<string, StoredKey>();
        for (const { key, size, etag, uploaded } of listed.iterate(prefix, endOfPrefix(prefix))) {
          found.set(String(key), { size: Number(size), md5: String(etag), uploaded: new Date(Number(uploaded)) });
        }
        return found;
      }),
    delete: (keys) =>
      call("Objects can't be removed", async () => {
        files.removeBlobs(files.transaction(() => keys.flatMap(remove)));
      }),
  };
}

const texts = v.record(v.string(), v.string());

/** @param isWhole whether all bytes were asked for: only those can be compared with the checksum */
function storedObject(
  { etag, size, ...json }: v.InferOutput<typeof objectRow>,
  bytes: Uint8Array,
  isWhole: boolean,
): StoredObject {
  const isDamaged = isWhole && (bytes.length !== size || (MD5_ETAG.test(etag) && hash("md5", bytes) !== etag));
  const { sha256 } = v.parse(texts, JSON.parse(json.checksums));
  const metadata = {
    ...v.parse(texts, JSON.parse(json.custom_metadata)),
    ...(sha256 && { [SHA256_METADATA]: sha256 }),
  };
  return { bytes, etag, metadata, ...(isDamaged && { isDamaged }) };
}

function localKeys(files: MiniflareFiles, persist: string): KeyStore {
  const { database } = files;
  const valid = "(expiration IS NULL OR expiration > unixepoch('subsec') * 1000)";
  const found = database.prepare(`SELECT blob_id FROM _mf_entries WHERE key = ? AND ${valid}`);
  const listed = database.prepare(`SELECT key FROM _mf_entries WHERE key >= ? AND key < ? AND ${valid} ORDER BY key`);
  const write = database.prepare("INSERT OR REPLACE INTO _mf_entries (key, blob_id) VALUES (?, ?)");
  const blobOf = (name: string) => v.parse(v.optional(blobRow), found.get(name))?.blob_id;
  const call = <T>(name: string, work: () => Promise<T>) => explained(files, persist, `${name} can't be used`, work);
  const get = (name: string) =>
    call(name, async () => {
      const blob = blobOf(name);
      const bytes = blob === undefined ? undefined : await files.readBlobs([blob]);
      return bytes && new TextDecoder().decode(bytes);
    });
  return {
    get,
    put: (name, text) =>
      call(name, async () => {
        const { id } = await files.writeBlob(new TextEncoder().encode(text));
        const before = files.transaction(() => {
          const blob = blobOf(name);
          write.run(name, id);
          return blob;
        });
        if (before !== undefined) files.removeBlobs([before]);
      }),
    async all(prefix) {
      const names = await call(prefix, async () => listed.all(prefix, endOfPrefix(prefix)));
      const texts = new Map<string, string>();
      for (const { key } of names) {
        const text = await get(String(key));
        if (text !== undefined) texts.set(String(key), text);
      }
      return texts;
    },
  };
}
