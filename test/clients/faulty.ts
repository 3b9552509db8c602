/** A server in front of another, which fails as networks and overloaded servers do. */

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}
/**
 * `pass`: none; `drop`: no answer; `cut`: half the body; `silent`: headers, and then nothing; `build`: what is answered
 * while that build is active; otherwise an answer.
 */
type Fault = "pass" | "drop" | "cut" | "silent" | { build: string } | Reply;

export interface Faulty {
  url: string;
  /** What happens to the next requests, in order. */
  faults: Fault[];
  /** What happens to those after them. */
  otherwise(path: string): Fault;
  /** What was asked, oldest first. */
  asked: { path: string; headers: IncomingHttpHeaders; status: number }[];
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startFaulty(target: string): Promise<Faulty> {
  const server = createServer(({ url: path = "/", headers }, response) => {
    const fault = faulty.faults.shift() ?? faulty.otherwise(path);
    const asked = { path, headers, status: 0 };
    faulty.asked.push(asked);
    if (typeof fault === "object" && "status" in fault) {
      asked.status = fault.status;
      response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
    } else if (fault === "drop") {
      response.destroy();
    } else {
      const forwarded = { headers: { ...headers, host: new URL(target).host } };
      const url = new URL(path, target);
      if (typeof fault === "object") url.searchParams.set("build", fault.build);
      request(url, forwarded, async (answer) => {
        asked.status = answer.statusCode!;
        const { "transfer-encoding": _chunked, ...kept } = answer.headers;
        response.writeHead(answer.statusCode!, kept);
        if (fault === "silent") response.flushHeaders();
        else if (fault === "cut") cut(response, await buffer(answer));
        // Ends both when one does.
        else pipeline(answer, response, () => {});
      }).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const faulty: Faulty = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: [],
    otherwise: () => "pass",
    asked: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return faulty;
}

function cut(response: ServerResponse, body: Buffer): void {
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
