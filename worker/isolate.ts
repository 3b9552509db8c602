/** What lives as long as the isolate: caches in memory, shared by its requests. */

import type { ApiKeyRecord } from "../data-schema/access.ts";
import type { SeriesFooter, Slice } from "../data-schema/parquet.ts";
import type { CatalogEntry, Manifest, Removal } from "../data-schema/stored.ts";
import { Budget } from "./budget.ts";
import type { Sent } from "./observe/log.ts";
import type { Problem } from "./problems/problem.ts";

/** A cache in memory: when its bytes run out, it drops the entry that was used least recently. */
export class Memory<T> {
  readonly #entries = new Map<string, { value: T; bytes: number }>();
  readonly #weigh: (value: T) => number;
  #bytes = 0;

  /** Bytes that all entries together may take. */
  readonly limit: number;

  /**
   * @param limit in bytes
   * @param weigh a value's size in bytes
   */
  constructor(limit: number, weigh: (value: T) => number) {
    this.limit = limit;
    this.#weigh = weigh;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // A Map iterates in order of insertion: an entry that is set again is dropped last.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: T): void {
    this.delete(key);
    const bytes = this.#weigh(value) + 2 * key.length;
    if (bytes > this.limit) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.limit) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

/** A value and when it was read, in milliseconds. */
export interface Dated<T> {
  value: T;
  readAt: number;
}

/** A manifest as it was read. Times in milliseconds. */
export interface CachedManifest {
  manifest: Manifest;
  etag: string;
  textLength: number;
  /** When to look for a newer one. */
  refreshAt: number;
  /** When it becomes stale: from then on it is served only if no newer one can be read. */
  staleAt: number;
}

/** An asset as the list call finds it; without an entry if another version of Soprano wrote its manifest. */
export interface ListedAsset {
  symbol: string;
  /** The entity tag of the manifest. */
  etag: string;
  entry: CatalogEntry | undefined;
  /** What the screener says of it, as text; undefined without. */
  screener: string | undefined;
}

/** What reading a manifest for the catalog has shown. */
export interface ManifestCheck {
  symbol: string;
  etag: string;
  /** When it was read, in milliseconds. */
  at: number;
  /** Why it cannot be read; null if it can. */
  fault: Problem | null;
}

/** A text that anyone may read: the catalog, the OpenAPI document, and others that come from the registry. */
export interface Document {
  mediaType: string;
  text: string;
  /** Seconds for which any cache may keep it; 0 for none. */
  maxAge: number;
  /** Its entity tag; null if no cache may keep it. */
  tag: string | null;
  /** 200 if left out. */
  status?: number;
  /** The path that answers in its place. */
  location?: string;
}

/**
 * What one isolate keeps between requests. Values only: a promise or a stream belongs to the request that made it, and
 * no other request may await it. All caches stay below 27 MB of an isolate's 128, and the requests below 38.
 */
export class Isolate {
  readonly keys = new Memory<Dated<ApiKeyRecord>>(1 << 20, () => 512);
  /** When a key was found not to exist, in milliseconds. Apart from the others, so that guesses push out no valid key. */
  readonly unknownKeys = new Memory<number>(1 << 18, () => 64);
  /** When a network last gave a wrong key where none was needed, in milliseconds. */
  readonly guessers = new Memory<number>(1 << 17, () => 64);
  // Parsed, a manifest takes about four times its text.
  readonly manifests = new Memory<CachedManifest>(6 << 20, ({ textLength }) => 4 * textLength);
  /** When an asset was found not to exist, in milliseconds. */
  readonly unknownAssets = new Memory<number>(1 << 17, () => 64);
  readonly footers = new Memory<SeriesFooter>(4 << 20, footerBytes);
  readonly slices = new Memory<Slice>(12 << 20, ({ t, v }) => t.byteLength + v.byteLength);
  /** Documents that never change while the isolate lives. */
  readonly documents = new Memory<Document>(1 << 20, ({ text }) => 2 * text.length);
  /** What kept answers have, by their address in the location's cache. */
  readonly kept = new Memory<Sent>(1 << 17, () => 128);
  /** Texts that stay right: pages of logs. */
  readonly pages = new Memory<string>(1 << 20, (text) => 2 * text.length);
  assets: Dated<ListedAsset[]> | null = null;
  /** What became of symbols under which nothing is published any more, as the last list has it. */
  removals: ReadonlyMap<string, Pick<Removal, "became">> = new Map();
  /** The checks of manifests, by symbol. */
  checks = new Map<string, ManifestCheck>();
  /** When the last check began, in milliseconds. */
  checkedAt = Number.NEGATIVE_INFINITY;
  /** What the requests in progress hold. */
  readonly budget = new Budget();

  /** Bytes of the caches and of the requests in progress. */
  get bytes(): number {
    const { keys, unknownKeys, guessers, manifests, unknownAssets, footers, slices, documents, kept, pages, budget } =
      this;
    return [
      keys,
      unknownKeys,
      guessers,
      manifests,
      unknownAssets,
      footers,
      slices,
      documents,
      kept,
      pages,
      budget,
    ].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** What a footer takes in memory, roughly. */
function footerBytes({ groups, info }: SeriesFooter): number {
  return 600 * groups.length + 200 * Object.keys(info.cohorts).length;
}
