/** The parts of packs, read by their own keys as if they were objects of their own. Source: docs/formats.md#packs. */

import { type Manifest, type Pack, packOf, partsOf, SHA256_METADATA } from "../../data-schema/stored.ts";
import type { ByteRange, ObjectStore, PutOptions, StoredObject } from "./store.ts";
import { sha256Hex } from "./stored-content.ts";

/** Parts are read together where many of a pack are asked for: in windows of so many bytes. */
const WINDOW_BYTES = 8 * 1024 * 1024;
/** So many windows stay in memory. */
const MOST_KEPT = 6;
/** A pack of several windows is read by them from so many parts on. */
const MANY_PARTS = 8;

/** A part, and the pack in which it lies. */
interface PackedPart {
  hash: string;
  size: number;
  pack: Pack;
}

/** What has been read of packs. */
interface Kept {
  /** The windows that were read last, by pack and number. */
  windows: Map<string, Promise<StoredObject | undefined>>;
  /** Parts that were asked for, by pack. */
  parts: Map<string, number>;
}

class PartStore implements ObjectStore {
  readonly base: ObjectStore;
  readonly parts: ReadonlyMap<string, PackedPart>;
  readonly kept: Kept;

  constructor(base: ObjectStore, parts: ReadonlyMap<string, PackedPart>, kept: Kept) {
    this.base = base;
    this.parts = parts;
    this.kept = kept;
  }

  get name(): string {
    return this.base.name;
  }

  async get(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    const part = this.parts.get(key);
    if (!part) return this.base.get(key, range);
    const { hash, size, pack } = part;
    const { offset, length } = range ?? { offset: 0, length: size };
    const wanted = { offset: pack.offset + offset, length: Math.max(0, Math.min(length, size - offset)) };
    const object = await this.#read(pack, wanted);
    if (!object) return undefined;
    const { bytes, etag, metadata } = object;
    const { [SHA256_METADATA]: sha256, ...others } = metadata;
    const isDamaged = bytes.length < wanted.length || (!range && !sha256Hex(bytes).startsWith(hash));
    return {
      bytes,
      etag,
      // A part carries what it would carry as an object of its own, if its pack was stored with its SHA-256.
      metadata: { ...others, ...(sha256?.startsWith(pack.hash) && { [SHA256_METADATA]: hash }) },
      ...(isDamaged && { isDamaged }),
    };
  }

  async #read({ key, size }: Pack, range: ByteRange): Promise<StoredObject | undefined> {
    const { windows, parts } = this.kept;
    const count = (parts.get(key) ?? 0) + 1;
    parts.set(key, count);
    const window = Math.floor(range.offset / WINDOW_BYTES);
    const from = window * WINDOW_BYTES;
    const isWithin = range.offset + range.length <= from + WINDOW_BYTES;
    if (!isWithin || (size > WINDOW_BYTES && count < MANY_PARTS)) return this.base.get(key, range);
    const name = `${key} ${window}`;
    const read = () => this.base.get(key, size > WINDOW_BYTES ? { offset: from, length: WINDOW_BYTES } : undefined);
    const reading = windows.get(name) ?? read();
    // The one that was asked for last goes last.
    windows.delete(name);
    windows.set(name, reading);
    const [oldest] = windows.keys();
    if (windows.size > MOST_KEPT) windows.delete(oldest!);
    const object = await reading.catch((failure) => {
      windows.delete(name);
      throw failure;
    });
    // A copy, as whoever takes the bytes may move their memory to another thread.
    const start = range.offset - from;
    return object && { ...object, bytes: new Uint8Array(object.bytes.subarray(start, start + range.length)) };
  }

  put(key: string, content: Uint8Array | Blob, options: PutOptions): Promise<boolean> {
    this.#forget([key]);
    return this.base.put(key, content, options);
  }

  list(prefix: string): ReturnType<ObjectStore["list"]> {
    return this.base.list(prefix);
  }

  delete(keys: readonly string[]): Promise<void> {
    this.#forget(keys);
    return this.base.delete(keys);
  }

  close(): Promise<void> {
    return this.base.close();
  }

  #forget(keys: readonly string[]): void {
    for (const name of this.kept.windows.keys()) {
      if (keys.includes(name.split(" ", 1)[0]!)) this.kept.windows.delete(name);
    }
  }
}

/** A store that also has the parts of manifests' packs, by their keys. All else, and each list, is the store's own. */
export function withParts(store: ObjectStore, ...manifests: readonly (Manifest | undefined)[]): ObjectStore {
  const placed = manifests.flatMap((manifest) => {
    if (!manifest?.packs) return [];
    return partsOf(manifest).flatMap((part) => {
      const pack = packOf(manifest, part);
      return pack ? [[part.key, { ...part, pack }] as const] : [];
    });
  });
  if (placed.length === 0) return store;
  const [base, before, kept] =
    store instanceof PartStore
      ? [store.base, store.parts, store.kept]
      : [store, [], { windows: new Map(), parts: new Map() }];
  return new PartStore(base, new Map([...before, ...placed]), kept);
}
