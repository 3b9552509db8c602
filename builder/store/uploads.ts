/** Uploads objects, several at a time, while others are being made. */

/** Uploads at once: over the network, an upload is mostly waiting. */
const CONCURRENCY = 16;

/** Bytes that wait or are being uploaded; beyond them, `add` waits. */
const MAX_BYTES = 64 * 1024 * 1024;

export class Uploads {
  readonly #waiting: { bytes: number; put(): Promise<void> }[] = [];
  /** They never reject: the first error is `#failure`. */
  readonly #running = new Set<Promise<void>>();
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
    while (this.#bytes > MAX_BYTES && !this.#failure) await Promise.race(this.#running);
    this.#check();
  }

  /**
   * Returns when all uploads have ended.
   *
   * @throws the error of the first that failed
   */
  async end(): Promise<void> {
    while (this.#running.size > 0 && !this.#failure) await Promise.race(this.#running);
    this.#check();
  }

  #begin(): void {
    while (this.#running.size < CONCURRENCY && !this.#failure) {
      const upload = this.#waiting.shift();
      if (!upload) return;
      const running = upload
        .put()
        .catch((error) => {
          this.#failure ??= { error };
        })
        .finally(() => {
          this.#running.delete(running);
          this.#bytes -= upload.bytes;
          this.#begin();
        });
      this.#running.add(running);
    }
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
