/** The parts of packs, read by their own keys as if they were objects of their own. Source: docs/formats.md#packs. */

import { type Manifest, type Pack, packOf, partsOf, SHA256_METADATA } from "../../data-schema/stored.ts";
import type { ByteRange, ObjectStore, PutOptions, StoredObject } from "./store.ts";
import { sha256Hex } from "./stored-content.ts";

/** Packs up to this size are read whole: most of their parts will be asked for. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** So many of them stay in memory. */
const MOST_KEPT = 4;

/** A part, and the pack in which it lies. */
interface PackedPart {
  hash: string;
  size: number;
  pack: Pack;
}

/** The packs that were read last, by key. */
type Kept = Map<string, Promise<StoredObject | undefined>>;

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
    if (size > WHOLE_BYTES) return this.base.get(key, range);
    const reading = this.kept.get(key) ?? this.base.get(key);
    // The last one asked for is the last to go.
    this.kept.delete(key);
    this.kept.set(key, reading);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT) break;
      this.kept.delete(oldest);
    }
    const object = await reading.catch((failure) => {
      this.kept.delete(key);
      throw failure;
    });
    // A copy, as whoever takes the bytes may move their memory to another thread.
    return object && { ...object, bytes: object.bytes.slice(range.offset, range.offset + range.length) };
  }

  put(key: string, content: Uint8Array | Blob, options: PutOptions): Promise<boolean> {
    this.kept.delete(key);
    return this.base.put(key, content, options);
  }

  list(prefix: string): ReturnType<ObjectStore["list"]> {
    return this.base.list(prefix);
  }

  delete(keys: readonly string[]): Promise<void> {
    return this.base.delete(keys);
  }

  close(): Promise<void> {
    return this.base.close();
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
    store instanceof PartStore ? [store.base, store.parts, store.kept] : [store, [], new Map()];
  return new PartStore(base, new Map([...before, ...placed]), kept);
}
