/** One node: its rate, the size of its batches, and single attempts. */

import { type Call, readAnswer, readBatchAnswer } from "./answer.ts";
import { type HttpAnswer, type HttpExchange, type NodeTimeouts, openExchange } from "./exchange.ts";
import { ABOUT_THE_NODE, NodeError } from "./failures.ts";
import { pause } from "./pause.ts";
import { type Pauses, Rate } from "./rate.ts";
import type { Traffic } from "./traffic.ts";

/** Headers by host, or host and port, such as keys. Nothing repeats one. */
export type RpcHeaders = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the nodes of a chain have in common. */
export interface NodeSettings {
  requestsPerSecond: number | undefined;
  timeouts: NodeTimeouts;
  pauses: Pauses;
  /** A request that would have to wait longer is not made. */
  longestWaitMs: number;
  traffic: Traffic;
  /** The headers that are sent with each request, by host and port. */
  headers: RpcHeaders;
  redact(text: string): string;
}

/** Calls in a batch before anything is known, and at most. */
const FIRST_BATCH = 100;
const LARGEST_BATCH = 1000;

/** Refusals in a row that may mean the size of a page: enough to halve it to one block. Then they mean the rate. */
const MOST_UNCLEAR = 20;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export class RpcNode {
  /** Host and port. */
  readonly host: string;
  readonly rate: Rate;
  /** Why the node takes no more part. */
  leftOut: NodeError | undefined;
  hasSucceeded = false;
  /** Failures of one kind in a row, of those that may concern the node as a whole. */
  repeated = { kind: "", count: 0 };
  inFlight = 0;
  /** Calls that the next batch may hold. */
  batchSize: number;
  #isBatchLimitKnown = false;
  /** Refusals since the last success that may mean either. */
  #unclear = 0;
  readonly #isPaced: boolean;
  readonly #exchange: HttpExchange;
  readonly #settings: NodeSettings;
  #nextId = 1;
  /** Why the node is not asked now. */
  #lastRefusal = "too many requests";

  constructor(url: URL, settings: NodeSettings) {
    this.host = url.host;
    this.#settings = settings;
    this.#isPaced = settings.requestsPerSecond !== undefined;
    this.rate = new Rate(settings.pauses, settings.requestsPerSecond, LOOPBACK.test(url.hostname));
    this.batchSize = Math.min(FIRST_BATCH, Math.max(1, Math.floor(settings.requestsPerSecond ?? FIRST_BATCH)));
    const headers = settings.headers[url.host] ?? settings.headers[url.hostname];
    this.#exchange = openExchange(url, {
      timeouts: settings.timeouts,
      ...(headers && { headers }),
      onBytes(count) {
        settings.traffic.count({ bytes: count });
      },
    });
  }

  /**
   * Makes a call when the rate allows it.
   *
   * @param largest bytes of the answer
   * @throws {NodeError}
   */
  async call({ method, params }: Call, signal: AbortSignal, largest?: number): Promise<unknown> {
    const id = this.#nextId++;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const read = (answer: HttpAnswer) => readAnswer(answer, id, this.#settings.redact);
    return this.#attempt(body, 1, signal, read, largest);
  }

  /**
   * Makes several calls in one request.
   *
   * @throws {NodeError} the node refused them as a whole
   */
  async callAll(calls: readonly Call[], signal: AbortSignal): Promise<({ value: unknown } | NodeError)[]> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const entries = calls.map(({ method, params }, index) => ({ jsonrpc: "2.0", id: firstId + index, method, params }));
    return this.#attempt(JSON.stringify(entries), calls.length, signal, (answer) => {
      const results = readBatchAnswer(answer, firstId, calls.length, this.#settings.redact);
      const refused = results.filter((result) => result instanceof NodeError && ABOUT_THE_NODE.has(result.kind));
      if (refused.length === results.length) throw refused[0];
      const limited = refused.find((error) => error instanceof NodeError && error.kind === "rate");
      if (limited instanceof NodeError) this.#slowDown(limited, Date.now());
      return results;
    });
  }

  /** What came of a batch of `size` calls. */
  batchSucceeded(size: number): void {
    if (this.#isPaced || this.#isBatchLimitKnown || size < this.batchSize) return;
    this.batchSize = Math.min(LARGEST_BATCH, this.batchSize * 2);
  }

  batchFailed(size: number): void {
    this.#isBatchLimitKnown = true;
    this.batchSize = Math.max(1, Math.min(this.batchSize, Math.floor(size / 2)));
  }

  close(): void {
    this.#exchange.close();
  }

  async #attempt<T>(
    body: string,
    calls: number,
    signal: AbortSignal,
    read: (answer: HttpAnswer) => T,
    largest?: number,
  ): Promise<T> {
    // Providers count the calls of a batch. A rate that is found takes that into account by itself.
    const cost = this.#isPaced ? calls : 1;
    this.#checkPause();
    let wait = this.rate.reserve(Date.now(), cost);
    await pause(wait, signal);
    while (wait > 0) {
      this.#checkPause();
      // Meanwhile, another request may have been refused.
      wait = this.rate.pause(Date.now()) > 0 ? this.rate.reserve(Date.now(), cost) : 0;
      await pause(wait, signal);
    }
    const sentAt = Date.now();
    this.#settings.traffic.count({ requests: 1 });
    this.inFlight++;
    try {
      const result = read(await this.#exchange.post(body, signal, largest));
      this.rate.succeeded();
      this.hasSucceeded = true;
      this.#unclear = 0;
      return result;
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof NodeError)) throw thrown;
      if (thrown.kind === "rate") this.#slowDown(thrown, sentAt);
      throw thrown;
    } finally {
      this.inFlight--;
    }
  }

  /** @throws {NodeError} the node wants to be left alone for longer than anybody waits */
  #checkPause(): void {
    const ms = this.rate.pause(Date.now());
    if (ms > this.#settings.longestWaitMs) throw new NodeError("rate", this.#lastRefusal, { retryAfterMs: ms });
  }

  #slowDown(error: NodeError, sentAt: number): void {
    this.#lastRefusal = error.message;
    const isUnclear = error.isAmbiguous && error.retryAfterMs === undefined;
    if (isUnclear && ++this.#unclear <= MOST_UNCLEAR) this.rate.rest(Date.now(), this.#settings.pauses.first / 2);
    else this.rate.refused(Date.now(), sentAt, error.retryAfterMs);
  }
}
