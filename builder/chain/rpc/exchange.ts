/** HTTP with one node: a request, and an answer that is whole, in time and of bounded size. */

import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { NodeError } from "./failures.ts";

/** How long a request may take, in milliseconds. */
export interface Timeouts {
  /** Without a byte in either direction, connecting included. */
  idle: number;
  /** In all: ends an answer that trickles. */
  total: number;
}

/** Providers give up on logs after 10 to 60 seconds. A page that takes longer is better read in parts. */
export const DEFAULT_TIMEOUTS: Timeouts = { idle: 30_000, total: 180_000 };

/** Bytes of an answer, after decompression. The largest that a provider sends is 150 MB. */
const LARGEST_ANSWER = 150 * 1024 * 1024;

export interface HttpAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface Exchange {
  /** @throws errors of Node's http and zlib, and {NodeError} for an answer that is too large */
  post(body: string, signal: AbortSignal): Promise<HttpAnswer>;
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

/** @param onBytes counts the bytes that are received */
export function openExchange(url: URL, timeouts: Timeouts, onBytes: (count: number) => void): Exchange {
  const { Agent, request: send } = url.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, pathname, search, protocol, username, password } = url;
  const target = {
    protocol,
    // Without the brackets of an IPv6 address.
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port,
    path: `${pathname}${search}`,
    ...(username || password ? { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` } : {}),
  };

  async function read(response: http.IncomingMessage): Promise<Buffer> {
    const encoding = response.headers["content-encoding"]?.trim().toLowerCase();
    const decompressor = encoding === undefined ? undefined : DECOMPRESSORS[encoding]?.();
    response.on("data", (chunk: Buffer) => onBytes(chunk.length));
    if (decompressor) {
      // A stream that is piped does not pass its errors on.
      response.on("error", (error) => decompressor.destroy(error));
      response.on("aborted", () => decompressor.destroy(Object.assign(new Error("aborted"), { code: "ECONNRESET" })));
      response.pipe(decompressor);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of decompressor ?? response) {
      size += (chunk as Buffer).length;
      if (size > LARGEST_ANSWER) throw new NodeError("range", "its answer is larger than 150 MB");
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks, size);
  }

  /** @throws {StaleSocket} the node had closed the connection before the request */
  async function exchange(body: string, signal: AbortSignal): Promise<HttpAnswer> {
    const headers = {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      Accept: "application/json",
      "Accept-Encoding": "gzip, br",
      "User-Agent": "soprano",
    };
    const request = send({ ...target, method: "POST", headers, agent, timeout: timeouts.idle, signal });
    let isTimedOut = false;
    const timeOut = () => {
      isTimedOut = true;
      request.destroy(new Error("timed out"));
    };
    const timer = setTimeout(timeOut, timeouts.total);
    // An error after the answer began ends the answer, too: reading that reports it.
    request.on("timeout", timeOut).on("error", () => {});
    let response: http.IncomingMessage | undefined;
    try {
      request.end(body);
      [response] = (await once(request, "response")) as [http.IncomingMessage];
      return { status: response.statusCode!, headers: response.headers, body: await read(response) };
    } catch (error) {
      // What is left of the answer would hold the connection.
      request.destroy();
      if (isTimedOut) throw new NodeError("timed-out", "no answer in time");
      if (!response && request.reusedSocket && isClosed(error)) throw new StaleSocket();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async post(body, signal) {
      for (;;) {
        try {
          return await exchange(body, signal);
        } catch (error) {
          // Each such attempt uses up a connection that was kept, so this ends.
          if (!(error instanceof StaleSocket)) throw error;
        }
      }
    },
    close: () => agent.destroy(),
  };
}
