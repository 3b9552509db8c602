/** A client that takes an answer slowly: 64 kB twice a second. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";

const INTERVAL_MS = 500;

export class SlowReader {
  readonly #request: ClientRequest;
  readonly #digest = createHash("sha256");
  #timer: NodeJS.Timeout | undefined;
  #response: IncomingMessage | undefined;

  /** Bytes of the body that have been taken. */
  bytes = 0;
  /** Whether the body ended before it was whole. */
  isCut = false;
  /** Resolves when the head of the answer arrives. */
  readonly started: Promise<{ status: number; retryAfter: string | undefined }>;

  constructor(url: string) {
    this.#request = get(url, { agent: false });
    this.#request.on("error", () => {});
    this.started = once(this.#request, "response").then(([response]: IncomingMessage[]) => {
      this.#response = response!;
      response!.on("error", () => {
        this.isCut = true;
      });
      this.#timer = setInterval(() => this.#take(), INTERVAL_MS);
      return { status: response!.statusCode!, retryAfter: response!.headers["retry-after"] };
    });
    this.started.catch(() => {});
  }

  /** Reads the rest as fast as it comes; the SHA-256 of the whole body, in hex. */
  async finish(): Promise<string> {
    clearInterval(this.#timer);
    for await (const chunk of this.#response!) this.#note(chunk);
    return this.#digest.digest("hex");
  }

  /** Goes away, even in the middle of the answer. */
  leave(): void {
    clearInterval(this.#timer);
    this.#request.destroy();
  }

  /** What Node has buffered is one of its reads, 64 kB; it reads no more until that is taken. */
  #take(): void {
    const chunk: Buffer | null = this.#response!.read();
    if (chunk !== null) this.#note(chunk);
  }

  #note(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#digest.update(chunk);
  }
}
