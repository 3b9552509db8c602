/** Requests to R2's S3 API: signed, sent, and retried with growing pauses. */

import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { pipeline, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import aws4 from "aws4";
import { type RetryPolicy, retry } from "../../lib/retry.ts";
import { sizeOf } from "../store.ts";
import { explain, isTransient, type S3Place, s3Error } from "./s3-failures.ts";

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** How long a request may take, in milliseconds. */
export interface StoreTimeouts {
  /** Without a byte in either direction, connecting included. */
  idle: number;
  /** In all, besides the time for the request's body: ends an answer that trickles. */
  total: number;
}

export interface S3Request {
  method: "GET" | "PUT" | "POST";
  /** The key of the object; without it the request goes to the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array | Blob;
}

export interface S3Answer {
  headers: http.IncomingHttpHeaders;
  bytes: Uint8Array;
}

/** The slowest network that a body is sent over, bytes a millisecond. */
const SLOWEST = 1_000;

/** Attempts to reach an endpoint that has never answered: most likely its name is wrong. */
const ATTEMPTS_UNREACHED = 3;

export type S3Client = ReturnType<typeof s3Client>;

export function s3Client(place: S3Place, credentials: S3Credentials, policy: RetryPolicy, timeouts: StoreTimeouts) {
  const { endpoint, bucket } = place;
  const { Agent, request: send } = endpoint.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true });
  const closed = new AbortController();
  let isReached = false;

  async function exchange(url: URL, method: string, headers: Record<string, string>, body: S3Request["body"]) {
    const request = send(url, { method, headers, agent, signal: closed.signal, timeout: timeouts.idle });
    const timeOut = () => request.destroy(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" }));
    const timer = setTimeout(timeOut, timeouts.total + (body ? sizeOf(body) / SLOWEST : 0));
    // An error after the answer began ends the answer, too: reading that reports it.
    request.on("timeout", timeOut).on("error", () => {});
    try {
      if (body instanceof Blob) {
        request.setHeader("content-length", body.size);
        // An error ends the request, which reports it.
        pipeline(Readable.fromWeb(body.stream()), request, () => {});
      } else {
        request.end(body);
      }
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      return { status: response.statusCode!, headers: response.headers, bytes: new Uint8Array(await buffer(response)) };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    place,

    /**
     * Tries something until it succeeds or fails for good.
     *
     * @param what for the message, such as `series/… can't be stored`
     * @param work makes the requests, and throws a `BadAnswer` for an answer that isn't whole
     * @throws {StoreFailure}
     */
    async attempt<T>(what: string, work: (attempt: number) => Promise<T>): Promise<T> {
      const isWorthRetrying = (error: unknown, attempt: number) =>
        isTransient(error) && (isReached || attempt < ATTEMPTS_UNREACHED);
      try {
        return await retry(work, isWorthRetrying, policy, closed.signal);
      } catch (error) {
        throw explain(error, what, place);
      }
    },

    /**
     * Makes one request.
     *
     * @throws {S3Error} it was refused
     * @throws {BadAnswer} the refusal can't be read
     * @throws {Error} there was no whole answer
     */
    async request({ method, key = "", query = {}, headers = {}, body }: S3Request): Promise<S3Answer> {
      const path = key.split("/").map(encodeURIComponent).join("/");
      const url = new URL(`${endpoint.href.replace(/\/$/, "")}/${bucket}/${path}?${new URLSearchParams(query)}`);
      const { status, ...answer } = await exchange(url, method, signed(url, method, headers, credentials), body);
      isReached = true;
      if (status >= 300) throw s3Error(status, answer.bytes);
      return answer;
    },

    close(): void {
      closed.abort();
      agent.destroy();
    },
  };
}

/** The headers of a request, with those of its signature. Without the digest of a body, the signature leaves the body out. */
function signed({ host, pathname, search }: URL, method: string, headers: Record<string, string>, by: S3Credentials) {
  const all = { "x-amz-content-sha256": "UNSIGNED-PAYLOAD", ...headers };
  const request = { service: "s3", region: "auto", host, path: pathname + search, method, headers: all };
  return aws4.sign(request, by).headers as Record<string, string>;
}
