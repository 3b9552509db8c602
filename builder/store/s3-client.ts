/** Requests to R2's S3 API: signed, sent, and retried with growing pauses. */

import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { buffer } from "node:stream/consumers";
import { AwsV4Signer } from "aws4fetch";
import { type RetryPolicy, retry } from "./retry.ts";
import { explain, isTransient, type S3Place, s3Error } from "./s3-failures.ts";

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** How long a request may take, in milliseconds. */
export interface Timeouts {
  /** Without a byte in either direction, connecting included. */
  idle: number;
  /** In all: ends an answer that trickles. */
  total: number;
}

export interface S3Request {
  method: "GET" | "PUT" | "POST";
  /** Of the object; without it the request goes to the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

export interface S3Answer {
  headers: http.IncomingHttpHeaders;
  bytes: Uint8Array;
}

/** Attempts to reach an endpoint that has never answered: most likely its name is wrong. */
const ATTEMPTS_UNREACHED = 3;

export class S3Client {
  readonly place: S3Place;
  readonly #credentials: S3Credentials & { cache: Map<string, ArrayBuffer> };
  readonly #policy: RetryPolicy;
  readonly #timeouts: Timeouts;
  readonly #agent: http.Agent;
  readonly #closed = new AbortController();
  #reached = false;

  constructor(place: S3Place, credentials: S3Credentials, policy: RetryPolicy, timeouts: Timeouts) {
    this.place = place;
    this.#credentials = { ...credentials, cache: new Map() };
    this.#policy = policy;
    this.#timeouts = timeouts;
    this.#agent = new (place.endpoint.protocol === "https:" ? https : http).Agent({ keepAlive: true });
  }

  /**
   * Tries something until it succeeds or fails for good.
   *
   * @param what for the message, such as `series/… can't be stored`
   * @param work makes the requests, and throws a `BadAnswer` for an answer that isn't whole
   * @throws {StoreFailure}
   */
  async attempt<T>(what: string, work: (attempt: number) => Promise<T>): Promise<T> {
    const isWorthRetrying = (error: unknown, attempt: number) =>
      isTransient(error) && (this.#reached || attempt < ATTEMPTS_UNREACHED);
    try {
      return await retry(work, isWorthRetrying, this.#policy, this.#closed.signal);
    } catch (error) {
      throw explain(error, what, this.place);
    }
  }

  /**
   * Makes one request.
   *
   * @throws {S3Error} it was refused
   * @throws {BadAnswer} the refusal can't be read
   * @throws {Error} there was no whole answer
   */
  async request({ method, key = "", query = {}, headers = {}, body }: S3Request): Promise<S3Answer> {
    const { endpoint, bucket } = this.place;
    const path = key.split("/").map(encodeURIComponent).join("/");
    const url = `${endpoint.href.replace(/\/$/, "")}/${bucket}/${path}?${new URLSearchParams(query)}`;
    const signer = new AwsV4Signer({ ...this.#credentials, service: "s3", region: "auto", method, url, headers });
    const signed = await signer.sign();
    const { status, ...answer } = await this.#exchange(signed.url, method, Object.fromEntries(signed.headers), body);
    this.#reached = true;
    if (status >= 300) throw s3Error(status, answer.bytes);
    return answer;
  }

  async #exchange(url: URL, method: string, headers: Record<string, string>, body: Uint8Array | undefined) {
    const { idle, total } = this.#timeouts;
    const options = { method, headers, agent: this.#agent, signal: this.#closed.signal, timeout: idle };
    const request = (url.protocol === "https:" ? https : http).request(url, options);
    const timeOut = () => request.destroy(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" }));
    const timer = setTimeout(timeOut, total);
    // An error after the answer began ends the answer, too: reading that reports it.
    request.on("timeout", timeOut).on("error", () => {});
    try {
      request.end(body);
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      return { status: response.statusCode!, headers: response.headers, bytes: new Uint8Array(await buffer(response)) };
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#closed.abort();
    this.#agent.destroy();
  }
}
