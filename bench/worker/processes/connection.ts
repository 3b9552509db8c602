/** A minimal keep-alive HTTP/1.1 connection, so that measurements show the server, not the client. */

import { connect, type Socket } from "node:net";

export interface Answer {
  status: number;
  /** The size of the body. */
  bytes: number;
  /** From sending the request, in seconds. */
  firstByte: number;
  seconds: number;
}

export class Connection {
  readonly #socket: Socket;
  #waiting: { sent: number; resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;
  #reader = new AnswerReader();
  #firstByte = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (data) => this.#take(data));
    const fail = (error?: Error) => this.#waiting?.reject(error ?? new Error("the connection was closed"));
    socket.on("error", fail);
    socket.on("close", () => fail());
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => resolve(new Connection(socket)));
      socket.once("error", reject);
    });
  }

  /** Sends a request and waits for the end of its answer. One at a time. */
  get(path: string, headers: Record<string, string>): Promise<Answer> {
    const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#firstByte = 0;
    this.#reader = new AnswerReader();
    return new Promise((resolve, reject) => {
      this.#waiting = { sent: performance.now(), resolve, reject };
      this.#socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    });
  }

  /** Sends a request and closes the connection when the first bytes of its answer arrive. */
  abortMidway(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once("data", () => {
        this.abort();
        resolve();
      });
      this.get(path, {}).catch(reject);
    });
  }

  /** Closes the connection, even during an answer. */
  abort(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(data: Buffer): void {
    if (this.#waiting === null) return;
    const { sent, resolve } = this.#waiting;
    if (this.#firstByte === 0) this.#firstByte = (performance.now() - sent) / 1000;
    if (!this.#reader.take(data)) return;
    const { status, bytes } = this.#reader;
    this.#waiting = null;
    resolve({ status, bytes, firstByte: this.#firstByte, seconds: (performance.now() - sent) / 1000 });
  }
}

/** Finds the end of an answer, with a known length or in chunks. */
class AnswerReader {
  status = 0;
  bytes = 0;
  #head = "";
  /** Remaining bytes of the body, or of the chunk and its line end; null until the head is complete. */
  #left: number | null = null;
  #isChunked = false;
  #isLast = false;

  /** True once the answer is complete. */
  take(data: Buffer): boolean {
    let at = 0;
    if (this.#left === null) {
      this.#head += data.toString("latin1");
      const end = this.#head.indexOf("\r\n\r\n");
      if (end === -1) return false;
      at = data.length - (this.#head.length - end - 4);
      const head = this.#head.slice(0, end);
      this.#head = "";
      this.status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head);
      this.#isChunked = length === null;
      this.#left = Number(length?.[1] ?? 0);
      this.bytes = this.#left;
    }
    if (!this.#isChunked) {
      this.#left -= data.length - at;
      return this.#left === 0;
    }
    while (at < data.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, data.length - at);
        this.#left -= taken;
        at += taken;
        if (this.#left === 0 && this.#isLast) return true;
        continue;
      }
      // A chunk is preceded by a line with its length in hexadecimal.
      const end = data.indexOf(10, at);
      this.#head += data.toString("latin1", at, end === -1 ? data.length : end);
      if (end === -1) return false;
      const size = Number.parseInt(this.#head, 16);
      this.#head = "";
      this.bytes += size;
      this.#isLast = size === 0;
      this.#left = size + 2;
      at = end + 1;
    }
    return false;
  }
}
