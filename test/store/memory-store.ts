/** A store in memory that keeps the rules of `ObjectStore`, with a clock that tests set. */

import { createHash } from "node:crypto";
import type { ByteRange, ObjectStore, PutOptions, StoredKey, StoredObject } from "../../builder/store/store.ts";
import { SHA256_METADATA } from "../../data-schema/stored/objects.ts";

const hex = (algorithm: "md5" | "sha256", bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex");

export class MemoryStore implements ObjectStore {
  readonly name = "memory";
  readonly objects = new Map<
    string,
    { bytes: Uint8Array; etag: string; uploaded: Date; metadata: Readonly<Record<string, string>> }
  >();
  now = Date.UTC(2026, 0, 1);
  /** How many keys may still be removed before this store fails. */
  deletesLeft = Number.POSITIVE_INFINITY;
  /** Counted over all stores, so that no ETag comes twice in one that begins as a copy. */
  static #etags = 0;

  async get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    const object = this.objects.get(key);
    return object && range
      ? { ...object, bytes: object.bytes.slice(range.offset, range.offset + range.length) }
      : object;
  }

  async put(key: string, content: Uint8Array | Blob, { sha256, replaces, metadata }: PutOptions): Promise<boolean> {
    const bytes = content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content;
    if (hex("sha256", bytes) !== sha256) throw new Error(`${key}: other bytes`);
    const there = this.objects.get(key);
    if (replaces !== undefined && replaces !== (there?.etag ?? null)) return false;
    this.objects.set(key, {
      bytes: bytes.slice(),
      etag: String(++MemoryStore.#etags),
      uploaded: new Date(this.now),
      metadata: { ...metadata, [SHA256_METADATA]: sha256 },
    });
    return true;
  }

  /** By content, which is never changed in place: of the same objects there may be many listings. */
  static readonly #md5 = new WeakMap<Uint8Array, string>();

  static #md5Of(bytes: Uint8Array): string {
    const known = MemoryStore.#md5.get(bytes) ?? hex("md5", bytes);
    MemoryStore.#md5.set(bytes, known);
    return known;
  }

  async list(prefix: string): Promise<Map<string, StoredKey>> {
    const found = [...this.objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(
      found.map(([key, { bytes, uploaded }]) => [
        key,
        { size: bytes.length, md5: MemoryStore.#md5Of(bytes), uploaded },
      ]),
    );
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      if (this.deletesLeft-- <= 0) throw new Error("the store has failed");
      this.objects.delete(key);
    }
  }

  async close(): Promise<void> {}

  /** Writes an object whatever was there. It carries what that carried. */
  async write(key: string, content: Uint8Array | string | object): Promise<void> {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const bytes = content instanceof Uint8Array ? content : new TextEncoder().encode(text);
    const { metadata = {} } = this.objects.get(key) ?? {};
    await this.put(key, bytes, { contentType: "", sha256: hex("sha256", bytes), metadata });
  }

  /** Puts all objects into another store, with what they carry. */
  async copyTo(other: ObjectStore): Promise<void> {
    for (const [key, { bytes, metadata }] of this.objects) {
      await other.put(key, bytes, { contentType: "", sha256: hex("sha256", bytes), metadata });
    }
  }
}
