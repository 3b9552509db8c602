/** A receiver of alerts over real HTTP, which fails as the test says. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What becomes of one request. */
export type Answer =
  | "silence"
  | "drop"
  | "dropped after the body"
  | { status: number; headers?: Record<string, string> };

export interface Posted {
  path: string;
  body: string;
  headers: Record<string, string | string[] | undefined>;
  /** Whether the receiver has taken it, whatever it answered. */
  isTaken: boolean;
}

export class Receiver {
  readonly posts: Posted[] = [];
  /** For the next requests; then all are taken. */
  answers: Answer[] = [];
  /** What it refuses, whenever it comes. */
  refuses: (body: string) => boolean = () => false;
  /** Called before a request is answered. */
  arrived: () => void = () => {};
  url = "";
  readonly #server = createServer(async (request, response): Promise<void> => {
    const answer = this.answers.shift() ?? { status: 200 };
    if (answer === "drop") {
      request.socket.destroy();
      return;
    }
    const body = await text(request).catch(() => "");
    if (this.refuses(body)) {
      response.writeHead(400).end("no need to read this");
      return;
    }
    const isTaken = answer === "dropped after the body" || (typeof answer === "object" && answer.status < 300);
    this.posts.push({ path: request.url!, body, headers: request.headers, isTaken });
    this.arrived();
    if (answer === "silence") return;
    if (typeof answer === "string") request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end("no need to read this");
  });

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The URL of a port on which nobody listens. */
  static async nobody(): Promise<string> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    return `http://127.0.0.1:${port}/secret`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
