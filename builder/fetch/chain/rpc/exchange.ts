/** HTTP with one node: a request, and an answer that is whole, in time and of bounded size. */

import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { NodeError, transportError } from "./failures.ts";

/** How long a request may take, in milliseconds. */
export interface NodeTimeouts {
  /** Without a byte in either direction, connecting included. */
  idle: number;
  /** How long the exchange may take in all. */
  total: number;
  /** The least rate of an answer: one that brings fewer bytes within so many milliseconds is left. Default: `SLOW`. */
  slow?: { ms: number; bytes: number };
}

/** Providers give up on logs after 10 to 60 seconds. A page that takes longer is better read in parts. */
export const DEFAULT_TIMEOUTS: NodeTimeouts = { idle: 30_000, total: 180_000 };

const SLOW = { ms: 10_000, bytes: 10_000 };

export const MEGABYTE = 1024 * 1024;

/** Bytes of an answer, after decompression. The largest that a provider sends is 150 MB. */
const LARGEST_ANSWER = 150 * MEGABYTE;

export interface HttpAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** An answer as it arrives, decompressed. */
export interface StreamedAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  chunks: AsyncIterable<Buffer>;
}

export interface HttpExchange {
  /**
   * @param largest bytes of an answer, after decompression: a larger one is left while it arrives
   * @throws {NodeError}
   */
  post(body: string, signal: AbortSignal, largest?: number): Promise<HttpAnswer>;
  /**
   * Hands the answer on as it arrives; its chunks have to be read, or left with a `break`.
   *
   * @throws {NodeError} also from `chunks`
   */
  stream(body: string, signal: AbortSignal): Promise<StreamedAnswer>;
  close(): void;
}

const DECOMPRESSORS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A connection that was kept for the next request, and that the node closed meanwhile: says nothing about the request. */
class StaleSocket extends Error {}

const isClosed = (error: unknown) => ["ECONNRESET", "EPIPE"].includes(String((error as NodeJS.ErrnoException).code));

/** The answer's bytes, decompressed. */
function decompressed(response: http.IncomingMessage): Readable {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase();
  const decompressor = encoding === undefined ? undefined : DECOMPRESSORS[encoding]?.();
  if (!decompressor) return response;
  // A pipe does not pass on that its source broke.
  const end = (error: Error) => decompressor.destroy(error);
  response.on("error", end).on("aborted", () => end(Object.assign(new Error("aborted"), { code: "ECONNRESET" })));
  return response.pipe(decompressor);
}

export interface ExchangeOptions {
  timeouts: NodeTimeouts;
  /** Sent with each request, such as a key. */
  headers?: Readonly<Record<string, string>>;
  /** Counts the bytes that are received. */
  onBytes(count: number): void;
}

export function openExchange(url: URL, { timeouts, headers: own = {}, onBytes }: ExchangeOptions): HttpExchange {
  const { slow = SLOW } = timeouts;
  const { Agent, request: send } = url.protocol === "https:" ? https : http;
  // HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
  const agent = new Agent({ keepAlive: true, proxyEnv: process.env });
  const { hostname, port, pathname, search, protocol, username, password } = url;
  const target = {
    protocol,
    // Without the brackets of an IPv6 address.
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    path: `${pathname}${search}`,
    ...(username || password ? { auth: `${decodedPart(username)}:${decodedPart(password)}` } : {}),
  };

  /** @throws {StaleSocket} the node had closed the connection before the request */
  async function open(body: string, signal: AbortSignal): Promise<StreamedAnswer> {
    const headers = {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      Accept: "application/json",
      "Accept-Encoding": "gzip, br",
      "User-Agent": "soprano",
      ...own,
    };
    const request = send({ ...target, method: "POST", headers, agent, timeout: timeouts.idle, signal });
    let isTimedOut = false;
    const timeOut = () => {
      isTimedOut = true;
      request.destroy(new Error("timed out"));
    };
    const timer = setTimeout(timeOut, timeouts.total);
    const ends = () => {
      clearTimeout(timer);
      clearInterval(pace);
    };
    /** Bytes since the last look. What the reader has not taken yet is not the node's fault. */
    let arrived = 0;
    let pace: NodeJS.Timeout | undefined;
    const beginPace = (response: http.IncomingMessage) => {
      pace = setInterval(() => {
        const isSlow = arrived < slow.bytes && response.readableLength === 0;
        arrived = 0;
        if (isSlow) timeOut();
      }, slow.ms);
    };
    // An error after the answer began ends the answer, too: reading that reports it.
    request.on("timeout", timeOut).on("error", () => {});

    /** What an error means, after an end to the request: what is left of the answer would hold the connection. */
    const failed = (error: unknown) => {
      ends();
      request.destroy();
      if (isTimedOut) return new NodeError("timed-out", "no answer in time");
      return signal.aborted ? signal.reason : transportError(error);
    };

    async function* read(response: http.IncomingMessage): AsyncGenerator<Buffer> {
      let isWhole = false;
      try {
        response.on("data", (chunk: Buffer) => {
          arrived += chunk.length;
          onBytes(chunk.length);
        });
        beginPace(response);
        for await (const chunk of decompressed(response)) yield chunk as Buffer;
        isWhole = true;
      } catch (error) {
        throw failed(error);
      } finally {
        ends();
        if (!isWhole) request.destroy();
      }
    }

    try {
      request.end(body);
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      return { status: response.statusCode!, headers: response.headers, chunks: read(response) };
    } catch (error) {
      if (!isTimedOut && request.reusedSocket && isClosed(error)) {
        ends();
        throw new StaleSocket();
      }
      throw failed(error);
    }
  }

  async function stream(body: string, signal: AbortSignal): Promise<StreamedAnswer> {
    for (;;) {
      try {
        return await open(body, signal);
      } catch (error) {
        // Each such attempt uses up a connection that was kept, so this ends.
        if (!(error instanceof StaleSocket)) throw error;
      }
    }
  }

  return {
    stream,
    async post(body, signal, largest = LARGEST_ANSWER) {
      const { status, headers, chunks } = await stream(body, signal);
      const parts: Buffer[] = [];
      let size = 0;
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > largest) throw new NodeError("oversized", `its answer is larger than ${largest / MEGABYTE} MB`);
        parts.push(chunk);
      }
      return { status, headers, body: Buffer.concat(parts, size) };
    },
    close: () => agent.destroy(),
  };
}

/** A user name or password as it is meant. */
function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
