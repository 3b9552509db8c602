/** A server in front of another, which fails as networks and overloaded servers do. */

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";

/** `pass`: none; `drop`: no answer; `cut`: half the body; `silent`: headers, and then nothing; otherwise an answer. */
type Fault = "pass" | "drop" | "cut" | "silent" | { status: number; headers?: Record<string, string>; body?: string };

export interface Faulty {
  url: string;
  /** What happens to the next requests, in order; those after them pass. */
  faults: Fault[];
  /** What was asked, oldest first. */
  asked: { path: string; headers: IncomingHttpHeaders; status: number }[];
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startFaulty(target: string): Promise<Faulty> {
  const server = createServer(({ url: path = "/", headers }, response) => {
    const fault = faulty.faults.shift();
    const asked = { path, headers, status: 0 };
    faulty.asked.push(asked);
    if (typeof fault === "object") {
      asked.status = fault.status;
      response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
    } else if (fault === "drop") {
      response.destroy();
    } else {
      const forwarded = { headers: { ...headers, host: new URL(target).host } };
      request(new URL(path, target), forwarded, async (answer) => {
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
