/** Uploads objects, several at a time, while others are being made. */

/** Uploads at once: over the network, an upload is mostly waiting. */
const CONCURRENCY = 16;

/** Bytes that wait or are being uploaded; beyond them, `add` waits. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Upload {
  bytes: number;
  put(): Promise<void>;
}

export class Uploads {
  readonly #waiting: Upload[] = [];
  /** Calls that wait for room, or for the end. */
  #watchers: (() => void)[] = [];
  #running = 0;
  #bytes = 0;
  #failure: { error: unknown } | undefined;

  /**
   * Takes on an upload, and returns when there is room for another.
   *
   * @throws the error of the first that failed
   */
  async add(bytes: number, put: () => Promise<void>): Promise<void> {
    this.#waiting.push({ bytes, put });
    this.#bytes += bytes;
    this.#begin();
    while (this.#bytes > MAX_BYTES && !this.#failure) await this.#change();
    this.#check();
  }

  /**
   * Returns when all uploads have ended.
   *
   * @throws the error of the first that failed
   */
  async end(): Promise<void> {
    while (this.#running > 0 && !this.#failure) await this.#change();
    this.#check();
  }

  #begin(): void {
    while (this.#running < CONCURRENCY && !this.#failure) {
      const upload = this.#waiting.shift();
      if (!upload) return;
      this.#running++;
      upload
        .put()
        .catch((error) => {
          this.#failure ??= { error };
        })
        .finally(() => {
          this.#running--;
          this.#bytes -= upload.bytes;
          this.#begin();
          const watchers = this.#watchers;
          this.#watchers = [];
          for (const watcher of watchers) watcher();
        });
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#watchers.push(resolve));
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
