/** Where objects are published: R2, or the R2 that wrangler and Miniflare keep on this machine. */
export interface ObjectStore {
  /** How messages call it: `r2://bucket`, or the folder. */
  readonly name: string;
  /** The object, or undefined when there is none. */
  get(key: string): Promise<StoredObject | undefined>;
  /**
   * Writes an object whole or not at all.
   *
   * @returns false: the object is not what `replaces` says, and was left as it is
   */
  put(key: string, bytes: Uint8Array, options: PutOptions): Promise<boolean>;
  /** Every object under a prefix, by key. */
  list(prefix: string): Promise<Map<string, ListedObject>>;
  /** Removes objects; those that are not there are passed over. */
  delete(keys: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface StoredObject {
  bytes: Uint8Array;
  /** What `PutOptions.replaces` takes. */
  etag: string;
}

export interface ListedObject {
  size: number;
  /** Hex. */
  md5: string;
  uploaded: Date;
}

export interface PutOptions {
  contentType: string;
  /** Hex SHA-256: the store refuses other bytes. */
  sha256: string;
  /** Hex, where it is known already. */
  md5?: string;
  metadata?: Record<string, string>;
  /** Write only if the object is still the one with this etag; null: only if there is none. */
  replaces?: string | null;
}

/** Where API keys are kept: Workers KV, or the KV that wrangler and Miniflare keep on this machine. */
export interface KeyStore {
  get(name: string): Promise<string | undefined>;
  put(name: string, text: string): Promise<void>;
  /** Every text under a prefix, by name. */
  all(prefix: string): Promise<Map<string, string>>;
}
