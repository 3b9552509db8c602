/** What an isolate remembers between requests: the least recently used goes first when the bytes run out. */
export class Memory<T> {
  readonly #entries = new Map<string, { value: T; bytes: number }>();
  readonly #weigh: (value: T) => number;
  #bytes = 0;

  /** Bytes that all entries together may take. */
  readonly limit: number;

  /**
   * @param limit bytes that all entries together may take
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
    // A Map iterates in order of insertion: put back, it is the last to go.
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
