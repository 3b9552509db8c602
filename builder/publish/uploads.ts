/** Puts objects, several at a time, while others are being made. */

/** Puts under way at once: over the network a put is mostly waiting. */
const CONCURRENCY = 16;

/** Bytes that wait or are under way; beyond that, who makes more has to wait. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Upload {
  bytes: number;
  put(): Promise<void>;
}

export class Uploads {
  readonly #waiting: Upload[] = [];
  /** Who waits for room, or for the end. */
  #watchers: (() => void)[] = [];
  #underWay = 0;
  #bytes = 0;
  #failure: { error: unknown } | undefined;

  /**
   * Takes an object on, and returns when there is room for another.
   *
   * @throws the error of an earlier one
   */
  async add(bytes: number, put: () => Promise<void>): Promise<void> {
    this.#waiting.push({ bytes, put });
    this.#bytes += bytes;
    this.#begin();
    while (this.#bytes > MOST_BYTES && !this.#failure) await this.#change();
    this.#check();
  }

  /**
   * Returns when all are put.
   *
   * @throws the error of the first that failed
   */
  async end(): Promise<void> {
    while (this.#underWay > 0 && !this.#failure) await this.#change();
    this.#check();
  }

  #begin(): void {
    while (this.#underWay < CONCURRENCY && !this.#failure) {
      const upload = this.#waiting.shift();
      if (!upload) return;
      this.#underWay++;
      upload
        .put()
        .catch((error) => {
          this.#failure ??= { error };
        })
        .finally(() => {
          this.#underWay--;
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
