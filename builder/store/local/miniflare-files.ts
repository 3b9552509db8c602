/**
 * How Miniflare keeps a bucket of R2 or a namespace of KV on disk: each content is a file with a random name, a blob,
 * and a table of SQLite says which blob each key has. Written directly, a build takes 15 to 40 % less CPU time than through
 * workerd, which does not have to start (docs/performance.md). test/store/local/miniflare-files.slow.test.ts compares both.
 */

import { createHash, createHmac, hash, randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  read as readAsync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { DIGESTS, type Digests, digestPieces } from "../pieces.ts";
import type { ByteRange } from "../store.ts";

/** The kinds of storage: their folder, the class of their Durable Object, and their tables as Miniflare makes them. */
const KINDS = {
  r2: {
    uniqueKey: "miniflare-R2BucketObject",
    schema: `
CREATE TABLE IF NOT EXISTS _mf_objects (
    key TEXT PRIMARY KEY,
    blob_id TEXT,
    version TEXT NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    uploaded INTEGER NOT NULL,
    checksums TEXT NOT NULL,
    http_metadata TEXT NOT NULL,
    custom_metadata TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS _mf_multipart_uploads (
    upload_id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    http_metadata TEXT NOT NULL,
    custom_metadata TEXT NOT NULL,
    state TINYINT DEFAULT 0 NOT NULL
);
CREATE TABLE IF NOT EXISTS _mf_multipart_parts (
    upload_id TEXT NOT NULL REFERENCES _mf_multipart_uploads(upload_id),
    part_number INTEGER NOT NULL,
    blob_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    checksum_md5 TEXT NOT NULL,
    object_key TEXT REFERENCES _mf_objects(key) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (upload_id, part_number)
);`,
  },
  kv: {
    uniqueKey: "miniflare-KVNamespaceObject",
    schema: `
CREATE TABLE IF NOT EXISTS _mf_entries (
  key TEXT PRIMARY KEY,
  blob_id TEXT NOT NULL,
  expiration INTEGER,
  metadata TEXT
);
CREATE INDEX IF NOT EXISTS _mf_entries_expiration_idx ON _mf_entries(expiration);`,
  },
} as const;

/** How long a call waits for other processes to release the database. */
const LOCK_MS = 30_000;

/** Up to so many bytes are read and written at once: handing them to another thread would take longer. */
const SMALL_BYTES = 1 << 18;

export class MiniflareFiles {
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #inode: number;
  readonly #blobs: string;
  /** Blobs without a key whose files the system has refused to remove. */
  readonly #refused = new Set<string>();

  /**
   * @param persist the state folder of `wrangler dev`, which exists
   * @param name of the bucket, or id of the namespace
   * @throws {Error} the system's, or SQLite's: it can't be opened
   */
  constructor(persist: string, kind: keyof typeof KINDS, name: string) {
    const { uniqueKey, schema } = KINDS[kind];
    const folder = join(persist, "v3", kind);
    this.#blobs = join(folder, name, "blobs");
    this.#path = join(folder, uniqueKey, `${objectId(uniqueKey, name)}.sqlite`);
    for (const path of [this.#blobs, join(folder, uniqueKey)]) mkdirSync(path, { recursive: true });
    this.database = new DatabaseSync(this.#path);
    // Node.js has an option for it only since 22.16.
    this.database.exec(`PRAGMA busy_timeout = ${LOCK_MS}`);
    // What a crash of the machine may lose are the last writes, never what was there before.
    this.database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${schema}`);
    this.#inode = statSync(this.#path).ino;
  }

  /** Whether the database is still where it was. SQLite goes on writing to one that was removed. */
  isInPlace(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /**
   * Writes a content, which no key has yet.
   *
   * @param md5 if it is already known
   * @throws {Error} the system's: it can't be written
   */
  async writeBlob(content: Uint8Array | Blob, md5?: string): Promise<{ id: string; digests: Digests }> {
    const id = `${randomBytes(32).toString("hex")}${Date.now().toString(16).padStart(16, "0")}`;
    try {
      if (content instanceof Uint8Array && content.length <= SMALL_BYTES) {
        writeFileSync(join(this.#blobs, id), content, { flag: "wx" });
        const digests = { md5: md5 ?? hash("md5", content), sha256: hash("sha256", content), size: content.length };
        return { id, digests };
      }
      const file = await open(join(this.#blobs, id), "wx");
      try {
        const pieces = content instanceof Blob ? content.stream() : [content];
        const write = (piece: Uint8Array) => file.writeFile(piece);
        const digests =
          md5 === undefined
            ? await digestPieces(pieces, DIGESTS, write)
            : { md5, ...(await digestPieces(pieces, ["sha256"], write)) };
        return { id, digests };
      } finally {
        await file.close();
      }
    } catch (error) {
      this.removeBlobs([id]);
      throw error;
    }
  }

  /**
   * The bytes of blobs, one after the other, or a range of them; fewer if one of them is cut short.
   *
   * @returns undefined if one of them is gone
   */
  async readBlobs(ids: readonly string[], range?: ByteRange): Promise<Uint8Array | undefined> {
    const read: Uint8Array[] = [];
    let [offset, left] = [range?.offset ?? 0, range?.length ?? Number.POSITIVE_INFINITY];
    for (const id of ids) {
      const file = openIfThere(join(this.#blobs, id));
      if (file === undefined) return undefined;
      try {
        const { size } = fstatSync(file);
        read.push(await readFully(file, offset, Math.max(0, Math.min(left, size - offset))));
        left -= read.at(-1)!.length;
        offset = Math.max(0, offset - size);
      } finally {
        closeSync(file);
      }
    }
    return read.length === 1 ? read[0] : Buffer.concat(read);
  }

  /**
   * Removes the files of blobs to which no key refers any more. The system may refuse, as Windows does while another
   * process reads the file: then they are tried again with the next removal, and at `close`. The call does not fail for it:
   * by then the database has the new state, and a caller who was told of a failure would write again.
   */
  removeBlobs(ids: Iterable<string>): void {
    for (const id of new Set([...this.#refused, ...ids])) {
      this.#refused.delete(id);
      try {
        rmSync(join(this.#blobs, id), { force: true });
      } catch (error) {
        // Anything that is not the system's is a fault of ours.
        if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
        this.#refused.add(id);
      }
    }
  }

  /** Does something alone: other processes see all of it or nothing. */
  transaction<T>(work: () => T): T {
    this.database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.database.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite has already rolled back what failed for want of room.
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.removeBlobs([]);
    if (this.database.isOpen) this.database.close();
  }
}

/** The end of all keys that begin with a prefix, in the order of their UTF-8: U+10FFFF comes after every character. */
export const endOfPrefix = (prefix: string) => `${prefix}\u{10ffff}`;

/** The name of a Durable Object's database: workerd derives the id of an object from its class and its name. */
function objectId(uniqueKey: string, name: string): string {
  const key = createHash("sha256").update(uniqueKey).digest();
  const digest = (text: string | Uint8Array) => createHmac("sha256", key).update(text).digest().subarray(0, 16);
  const own = digest(name);
  return Buffer.concat([own, digest(own)]).toString("hex");
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const readLater = promisify(readAsync);

async function readFully(file: number, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const [left, at] = [length - filled, offset + filled];
    const bytesRead =
      length <= SMALL_BYTES
        ? readSync(file, bytes, filled, left, at)
        : (await readLater(file, bytes, filled, left, at)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
