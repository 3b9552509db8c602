/** Where objects are published: R2 on Cloudflare, or the local one of `wrangler dev`. */
export interface ObjectStore {
  /** What messages call the store: `r2://bucket`, or the folder. */
  readonly name: string;
  /**
   * The object, or undefined when there is none.
   *
   * @param range of bytes to read; all when left out. Only whole objects are compared with their checksums
   */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /**
   * Writes an object whole or not at all.
   *
   * @param content a Blob where it is too large for memory; then `md5` must be known
   * @returns false: the object is not the one that `replaces` names, and stays
   */
  put(key: string, content: Uint8Array | Blob, options: PutOptions): Promise<boolean>;
  /** Every object under a prefix, by key. */
  list(prefix: string): Promise<Map<string, StoredKey>>;
  /** Removes objects; keys without one are ignored. */
  delete(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface ByteRange {
  offset: number;
  length: number;
}

export interface StoredObject {
  bytes: Uint8Array;
  /** For `PutOptions.replaces`. */
  etag: string;
  /** What it carries beside its bytes, and under `sha256` the SHA-256 that it was stored with. */
  metadata: Readonly<Record<string, string>>;
  /** The bytes are not those that were stored, but what of them can be read. */
  isDamaged?: boolean;
}

/** Whether an object was read as it was written. */
export const hasBytes = (object: StoredObject | undefined, bytes: Uint8Array): boolean =>
  object !== undefined && Buffer.compare(object.bytes, bytes) === 0;

export const sizeOf = (content: Uint8Array | Blob): number => (content instanceof Blob ? content.size : content.length);

/** An ETag that is the MD5 of the content: that of every object written in one piece. */
export const MD5_ETAG = /^[0-9a-f]{32}$/;

export interface StoredKey {
  size: number;
  /** Hex. */
  md5: string;
  uploaded: Date;
}

export interface PutOptions {
  contentType: string;
  /** Hex SHA-256: the store refuses other bytes. */
  sha256: string;
  /** Hex, if it is already known. */
  md5?: string;
  metadata?: Record<string, string>;
  /** Writes only if the object still has this etag; null: only if there is none. */
  replaces?: string | null;
}

/** Where API keys are kept: Workers KV on Cloudflare, or the local one of `wrangler dev`. */
export interface KeyStore {
  get(name: string): Promise<string | undefined>;
  put(name: string, text: string): Promise<void>;
  /** Every text under a prefix, by name. */
  all(prefix: string): Promise<Map<string, string>>;
}
