/**
 * A folder on this machine as a store, for backups. An object lies under `objects/` as it is; what it carries, and its
 * digests, under `metadata/`, written after it: an object without is not there yet. Source: docs/backups.md#what-is-in-one.
 */

import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { SHA256_METADATA } from "../../../data-schema/stored.ts";
import { StoreFailure, writing } from "../../lib/failure.ts";
import { replaceDurably, syncFolder } from "../../lib/files/durable.ts";
import { type TemporaryFolder, temporaryFolder } from "../../lib/files/temporary-folder.ts";
import { DIGESTS, writePieces } from "../pieces.ts";
import type { ByteRange, ObjectStore, StoredKey, StoredObject } from "../store.ts";
import { sha256Hex } from "../stored-content.ts";

const SUFFIX = ".json";

const noteSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    size: v.number(),
    md5: v.string(),
    /** ISO 8601. */
    stored: v.string(),
    metadata: v.record(v.string(), v.string()),
  }),
);
type Note = v.InferOutput<typeof noteSchema>;

/** @param path of the folder, which is made with the first object */
export function folderStore(path: string): ObjectStore {
  const noteFolder = join(path, "metadata");
  const pathOf = (key: string) => join(path, "objects", ...partsOf(key, path));
  const notePathOf = (key: string) => `${join(noteFolder, ...partsOf(key, path))}${SUFFIX}`;

  /** What is written until all of it is there. */
  let scratch: TemporaryFolder | undefined;

  /** @throws {StoreFailure} it can't be read */
  async function noteOf(key: string): Promise<Note | undefined> {
    const text = await present(notePathOf(key), readFile(notePathOf(key), "utf8"));
    if (text === undefined) return undefined;
    const read = v.safeParse(noteSchema, text);
    if (read.success) return read.output;
    throw new StoreFailure(`${notePathOf(key)} is damaged: remove it, and make the backup again.`);
  }

  return {
    name: path,
    async get(key, range) {
      const note = await noteOf(key);
      if (!note) return undefined;
      const bytes = (await present(pathOf(key), readBytes(pathOf(key), range))) ?? new Uint8Array();
      const { md5: etag, metadata, size } = note;
      const isDamaged =
        range === undefined && (bytes.length !== size || !sha256Hex(bytes).startsWith(metadata[SHA256_METADATA] ?? ""));
      return { bytes, etag, metadata, ...(isDamaged && { isDamaged }) } satisfies StoredObject;
    },
    async put(key, content, { sha256, metadata = {}, replaces }) {
      if (replaces !== undefined && ((await noteOf(key))?.md5 ?? null) !== replaces) return false;
      const [target, note] = [pathOf(key), notePathOf(key)];
      await writing(target, () => mkdir(dirname(target), { recursive: true }));
      await writing(note, () => mkdir(dirname(note), { recursive: true }));
      scratch ??= await writing(path, async () => temporaryFolder(path, "unfinished"));
      const unfinished = join(scratch.path, randomUUID());
      const digests = await writePieces(unfinished, content instanceof Blob ? content.stream() : [content], DIGESTS);
      if (digests.sha256 !== sha256) {
        await rm(unfinished, { force: true });
        throw new StoreFailure(`${key} can't be stored in ${path}: its bytes are not those of its SHA-256.`);
      }
      await writing(target, async () => {
        const file = await open(unfinished, "r+");
        await file.sync().finally(() => file.close());
        // Between two versions of an object there is none, rather than one with the other's metadata.
        await rm(note, { force: true });
        await rename(unfinished, target);
        await syncFolder(dirname(target));
        const { size, md5 } = digests;
        const carried: Note = {
          size,
          md5,
          stored: new Date().toISOString(),
          metadata: { ...metadata, [SHA256_METADATA]: sha256 },
        };
        await replaceDurably(note, JSON.stringify(carried));
      });
      return true;
    },
    async list(prefix) {
      const names = (await present(noteFolder, readdir(noteFolder, { recursive: true }))) ?? [];
      const keys = names
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => name.slice(0, -SUFFIX.length).replaceAll("\\", "/"))
        .filter((key) => key.startsWith(prefix))
        .sort();
      const found = new Map<string, StoredKey>();
      for (const key of keys) {
        const note = await noteOf(key);
        if (note) found.set(key, { size: note.size, md5: note.md5, uploaded: new Date(note.stored) });
      }
      return found;
    },
    async delete(keys) {
      for (const path of keys.flatMap((key) => [notePathOf(key), pathOf(key)])) {
        await writing(path, () => rm(path, { force: true }));
      }
    },
    async close() {
      scratch?.remove();
      scratch = undefined;
    },
  };
}

/** Names of folders and of a file. @throws {StoreFailure} they would lead out of the folder */
function partsOf(key: string, folder: string): string[] {
  const parts = key.split("/");
  if (parts.every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\\"))) return parts;
  throw new StoreFailure(`${key} can't be stored in ${folder}: it is no name that Soprano gives an object. Remove it.`);
}

async function readBytes(path: string, range: ByteRange | undefined): Promise<Uint8Array> {
  if (!range) return readFile(path);
  const file = await open(path, "r");
  try {
    const bytes = new Uint8Array(range.length);
    const { bytesRead } = await file.read(bytes, 0, range.length, range.offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** What is read; undefined if there is no such file. @throws {StoreFailure} it can't be read */
async function present<T>(path: string, reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new StoreFailure(`${path} can't be read (${code}): change its permissions, or restore it.`, { cause: error });
  }
}
