/** The real R2 and KV with something in between: to count, to fail, to hand out other bytes. */

/** A binding with some of its methods replaced. */
function wrap<T extends object>(binding: T, replacements: Partial<T>): T {
  return new Proxy(binding, {
    get(target, name) {
      const member = Reflect.get(replacements, name) ?? Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Whether an object has series: one of their own, or a pack. */
export const hasSeries = (key: string): boolean => /^(series|packs)\//.test(key);

/** A bucket that lists so many objects at once. R2 itself lists up to 1,000. */
export function pagedBucket(bucket: R2Bucket, limit: number): R2Bucket {
  return wrap(bucket, { list: (options) => bucket.list({ ...options, limit }) });
}

export interface Read {
  key: string;
  /** Bytes asked for; null for the whole object. */
  length: number | null;
  /** 1 for a read that waited for no other, 2 for one that waited for such a read, and so on. */
  depth: number;
}

/** A bucket that notes every object read, but for manifests; `take` gives the reads since it was last called. */
export function countingBucket(bucket: R2Bucket): { bucket: R2Bucket; take: () => Read[] } {
  let reads: Read[] = [];
  let answered = 0;
  const get = async (key: string, options?: R2GetOptions) => {
    const range = options?.range;
    const isSeries = hasSeries(key);
    const depth = answered + 1;
    if (isSeries) reads.push({ key, length: range && "length" in range ? (range.length ?? null) : null, depth });
    // Slow enough for all reads that can start together to do so.
    if (isSeries) await scheduler.wait(20);
    const object = await bucket.get(key, options);
    if (isSeries) answered = Math.max(answered, depth);
    return object;
  };
  const take = () => {
    const taken = reads;
    reads = [];
    answered = 0;
    return taken;
  };
  return { bucket: wrap(bucket, { get: get as R2Bucket["get"] }), take };
}

/** A bucket that notes every call, by its name; `take` gives those since it was last called. */
export function recordingBucket(bucket: R2Bucket): { bucket: R2Bucket; take: () => string[] } {
  let calls: string[] = [];
  const recorded = new Proxy(bucket, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...parameters: unknown[]) => {
        calls.push(`${String(name)} ${typeof parameters[0] === "string" ? parameters[0].split("/")[0] : ""}`.trim());
        return member.apply(target, parameters);
      };
    },
  });
  const take = () => {
    const taken = calls;
    calls = [];
    return taken;
  };
  return { bucket: recorded, take };
}

/** A bucket of which some objects are read by a function; those with series if left out. */
export function readingBucket(
  bucket: R2Bucket,
  read: (key: string, options?: R2GetOptions) => Promise<R2Object | null>,
  isMeant: (key: string) => boolean = hasSeries,
): R2Bucket {
  const get = (key: string, options?: R2GetOptions) => (isMeant(key) ? read(key, options) : bucket.get(key, options));
  return wrap(bucket, { get: get as R2Bucket["get"] });
}

/** A bucket whose reads fail while `isDown` says so. */
export function failingBucket(bucket: R2Bucket, isDown: (key: string) => boolean): R2Bucket {
  const get = async (key: string, options?: R2GetOptions) => {
    if (isDown(key)) throw new Error("get: We encountered an internal error. Please try again. (10001)");
    return bucket.get(key, options);
  };
  const list = async (options?: R2ListOptions) => {
    if (isDown(options?.prefix ?? "")) throw new Error("list: We encountered an internal error. (10001)");
    return bucket.list(options);
  };
  return wrap(bucket, { get: get as R2Bucket["get"], list });
}

/** A bucket that hands out other bytes than it holds, as `readingBucket`, and says nothing of it. */
export function alteringBucket(
  bucket: R2Bucket,
  alter: (bytes: Uint8Array, key: string) => void,
  isMeant: (key: string) => boolean = hasSeries,
): R2Bucket {
  const get = async (key: string, options?: R2GetOptions) => {
    const object = await bucket.get(key, options);
    if (object === null || !isMeant(key)) return object;
    const bytes = new Uint8Array(await object.arrayBuffer());
    alter(bytes, key);
    const { size, checksums, etag, body } = object;
    return { size, checksums, etag, body, arrayBuffer: async () => bytes.buffer };
  };
  return wrap(bucket, { get: get as unknown as R2Bucket["get"] });
}

/** A cache that notes the addresses it is asked for and given. */
export function notingCache(cache: Cache): { cache: Cache; urls: () => string[] } {
  const urls: string[] = [];
  const note = (request: RequestInfo | URL) => urls.push(new Request(request).url);
  const match: Cache["match"] = (request, options) => {
    note(request);
    return cache.match(request, options);
  };
  const put: Cache["put"] = (request, response) => {
    note(request);
    return cache.put(request, response);
  };
  return { cache: wrap(cache, { match, put }), urls: () => urls };
}

/** A KV namespace that counts its reads. */
export function countingKeys(keys: KVNamespace): { keys: KVNamespace; reads: () => number } {
  let reads = 0;
  const get = async (name: string, options: KVNamespaceGetOptions<"text">) => {
    reads++;
    return keys.get(name, options);
  };
  return { keys: wrap(keys, { get: get as KVNamespace["get"] }), reads: () => reads };
}

/** A KV namespace as one location sees it: what was read once is read from its cache for as long as `cacheTtl` says. */
export function cachedKeys(keys: KVNamespace, now: () => number): KVNamespace {
  const cache = new Map<string, { text: string | null; until: number }>();
  const get = async (name: string, options: KVNamespaceGetOptions<"text">) => {
    const known = cache.get(name);
    if (known !== undefined && now() < known.until) return known.text;
    const text = await keys.get(name, options);
    cache.set(name, { text, until: now() + 1000 * options.cacheTtl! });
    return text;
  };
  return wrap(keys, { get: get as KVNamespace["get"] });
}

/** A limiter that is out of reach. */
export function failingLimiter(limiter: RateLimit): RateLimit {
  const limit = async () => {
    throw new Error("internal error; reference = 0");
  };
  return wrap(limiter, { limit });
}

/** A KV namespace whose reads fail. */
export function failingKeys(keys: KVNamespace): KVNamespace {
  const get = async () => {
    throw new Error("KV GET failed: 500 Internal Server Error");
  };
  return wrap(keys, { get: get as KVNamespace["get"] });
}
