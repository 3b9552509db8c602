/** Where objects are published: R2, or the R2 that wrangler and Miniflare keep on this machine. */
export interface ObjectStore {
  /** The object's bytes, or undefined when there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Writes an object whole or not at all. */
  put(key: string, bytes: Uint8Array, options: PutOptions): Promise<void>;
  /** Size and MD5 (hex) of every object under a prefix, by key. */
  list(prefix: string): Promise<Map<string, { size: number; md5: string }>>;
}

export interface PutOptions {
  contentType: string;
  /** Hex SHA-256: the store refuses other bytes, and readers see it. */
  sha256: string;
  metadata?: Record<string, string>;
}

/** Where API keys are kept: Workers KV, or the KV that wrangler and Miniflare keep on this machine. */
export interface KeyStore {
  get(name: string): Promise<string | undefined>;
  put(name: string, text: string): Promise<void>;
  /** Every text under a prefix, by name. */
  all(prefix: string): Promise<Map<string, string>>;
}
