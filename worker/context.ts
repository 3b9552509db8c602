/** What the steps of the pipeline work with. */

import type { LimitBinding } from "../data-schema/access.ts";
import type { ManifestObject } from "../data-schema/stored.ts";
import type { Lease } from "./budget.ts";
import type { Isolate } from "./isolate.ts";
import type { RequestEntry } from "./observe/log.ts";

/** Bindings of wrangler.toml. A limit without its binding is not enforced. */
export interface Bindings extends Partial<Record<LimitBinding, RateLimit>> {
  BUCKET: R2Bucket;
  KEYS: KVNamespace;
  /** The explorer's files; without them, there is no page at `/`. */
  ASSETS?: Pick<Fetcher, "fetch">;
  /** An API key for everyone who opens the explorer; none unless the operator sets it. */
  PUBLIC_KEY?: string;
  /** Points up to which CSV is compressed; see worker/format/gzip.ts. */
  GZIP_POINTS?: string | number;
  /** Counts what each key uses; nothing is counted without it. */
  USAGE?: AnalyticsEngineDataset;
}

/** What one request works with. */
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
  /** Answers as the frozen versions do: an asset that was removed, or has another symbol, is unknown. */
  isFrozen?: true;
  /** What is left of the reads and cache calls of a request that asks for several tables. */
  reads?: { left: number };
  /** Lets work continue after the response. */
  waitUntil: (work: Promise<unknown>) => void;
}

/** What a request for a series works with: what it holds is counted. */
export interface SeriesContext extends Context {
  lease: Lease;
  /** Brings what it reads whole together with what lies beside that; absent if nothing of it lies in packs. */
  neighbours?: { take(part: ManifestObject, context: SeriesContext): Promise<Uint8Array<ArrayBuffer>> | undefined };
}
