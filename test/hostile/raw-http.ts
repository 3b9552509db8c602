/** HTTP/1.1 by hand: bytes to a server as they are, and its answers from the bytes that come back. */

import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  /** By name in lower case. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

/** Longest wait for an answer to go on. */
const SILENCE_MS = 10_000;

/**
 * Sends bytes and reads until the server closes the connection.
 *
 * @param cuts shares of the bytes after which they pause, so that they arrive in several pieces
 * @param mayWait whether the server may stay silent, because it takes the bytes for a request that is to go on
 * @throws {Error} the server stays silent, or can't be reached
 */
export function exchange(port: number, bytes: Buffer, cuts: readonly number[] = [], mayWait = false): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const received: Buffer[] = [];
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.setTimeout(SILENCE_MS, () => {
    // Then `close` resolves.
    socket.destroy();
    if (mayWait) return;
    reject(new Error(`silent for ${SILENCE_MS / 1000} s after ${JSON.stringify(Buffer.concat(received).toString())}`));
  });
  socket.on("connect", async () => {
    const places = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
    for (const [i, from] of places.slice(0, -1).entries()) {
      if (i > 0) await new Promise((next) => setTimeout(next, 2));
      if (!socket.writable) return;
      socket.write(bytes.subarray(from, places[i + 1]));
    }
  });
  socket.on("data", (chunk) => received.push(chunk));
  // A server may reset what it has refused while more of it comes.
  socket.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ECONNREFUSED") reject(error);
  });
  socket.on("close", () => resolve(Buffer.concat(received)));
  return promise;
}

/**
 * The answers in the bytes that came back, without interim ones (1xx).
 *
 * @param methods of the requests, in order
 * @param clear of so many requests from the first on it is certain which answer is whose
 * @throws {Error} they are not whole HTTP/1.1 answers
 */
export function parseAnswers(bytes: Buffer, methods: readonly string[], clear: number): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) throw new Error(`the head of an answer does not end: ${quote(bytes.subarray(at))}`);
    const [first = "", ...lines] = bytes.toString("latin1", at, end).split("\r\n");
    const [, digits] = first.match(/^HTTP\/1\.[01] (\d{3})( .*)?$/) ?? [];
    if (digits === undefined) throw new Error(`this begins no answer: ${first}`);
    const status = Number(digits);
    at = end + 4;
    if (status < 200) continue;
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name, value] = line.match(/^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/) ?? [];
      if (name === undefined || value === undefined) throw new Error(`this is no header: ${line}`);
      const lower = name.toLowerCase();
      headers.set(lower, headers.has(lower) ? `${headers.get(lower)}, ${value}` : value);
    }
    const isToHead = methods[answers.length] === "HEAD" && (answers.length < clear || endsAt(bytes, at));
    const isBare = isToHead || status === 204 || status === 304;
    const { body, next } = isBare ? { body: Buffer.alloc(0), next: at } : readBody(bytes, at, headers);
    answers.push({ status, headers, body });
    at = next;
  }
  return answers;
}

/** Whether the bytes end here, or another answer begins. */
const endsAt = (bytes: Buffer, at: number) => at === bytes.length || bytes.toString("latin1", at, at + 7) === "HTTP/1.";

function readBody(bytes: Buffer, at: number, headers: ReadonlyMap<string, string>): { body: Buffer; next: number } {
  const length = headers.get("content-length");
  if (headers.get("transfer-encoding") === "chunked") return readChunks(bytes, at);
  // Without a length it ends with the connection.
  const next = length === undefined ? bytes.length : at + Number(length);
  if (!(next <= bytes.length)) throw new Error(`a body of ${length} bytes has ${bytes.length - at}`);
  return { body: bytes.subarray(at, next), next };
}

function readChunks(bytes: Buffer, from: number): { body: Buffer; next: number } {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16);
    const next = end + 2 + size + 2;
    if (end < 0 || !(next <= bytes.length)) throw new Error("a body in chunks does not end");
    if (size === 0) return { body: Buffer.concat(chunks), next };
    chunks.push(bytes.subarray(end + 2, end + 2 + size));
    at = next;
  }
}

const quote = (bytes: Buffer) => JSON.stringify(bytes.toString("latin1", 0, 200));
