/** What the steps of the pipeline are given to work with. */

import type { ApiKeyRecord } from "../data-schema/keys.ts";
import type { LimitBinding } from "../data-schema/plans.ts";
import type { Document } from "./catalog/document.ts";
import type { ListedAsset } from "./list.ts";
import type { PublishedManifest } from "./locate.ts";
import type { RequestEntry } from "./log.ts";
import { Memory } from "./memory.ts";
import type { Footer } from "./read/footer.ts";
import type { Slice } from "./read/slice.ts";

/** Bindings of wrangler.toml. Without one that counts requests, there is no such limit. */
export interface Bindings extends Partial<Record<LimitBinding, RateLimit>> {
  BUCKET: R2Bucket;
  KEYS: KVNamespace;
  /** An API key for everyone who opens the explorer; none unless the operator sets it. */
  PUBLIC_KEY?: string;
}

/** A value and when it was read, in milliseconds. */
export interface Dated<T> {
  value: T;
  readAt: number;
}

/**
 * What one isolate keeps between requests. Values only: a promise or a stream belongs to the request that made it and
 * must not be awaited by another. Everything together stays below 48 MB of an isolate's 128.
 */
export class Isolate {
  readonly keys = new Memory<Dated<ApiKeyRecord>>(1 << 20, () => 512);
  // Parsed, a manifest takes about four times its text.
  readonly manifests = new Memory<PublishedManifest>(12 << 20, (manifest) => 4 * manifest.textLength);
  readonly footers = new Memory<Footer>(8 << 20, (footer) => footer.bytes);
  readonly slices = new Memory<Slice>(24 << 20, (slice) => slice.t.byteLength + slice.v.byteLength);
  /** Those that never change while the isolate lives. */
  readonly documents = new Memory<Document>(2 << 20, ({ text }) => 2 * text.length);
  assets: Dated<ListedAsset[]> | null = null;
}

/** One request's surroundings. */
export interface Context {
  bindings: Bindings;
  isolate: Isolate;
  /** What the log will say of the request. */
  entry: RequestEntry;
  /** Scheme and host at which the request arrived. */
  origin: string;
  /** The cache of this location; null where there is none. */
  edge: Cache | null;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Lets work go on after the response. */
  waitUntil: (work: Promise<unknown>) => void;
}
