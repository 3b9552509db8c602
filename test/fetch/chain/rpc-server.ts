/** A JSON-RPC server that answers as a test says, call by call or as raw HTTP. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface ServedCall {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** What the server says to a call: a result or an error of JSON-RPC. */
type Said = { result: unknown } | { error: unknown };

export type Responder = (call: ServedCall, request: IncomingMessage) => Said | Promise<Said>;

/** What the server does with a request instead of answering by its calls. */
export type Interceptor = (
  body: ServedCall | ServedCall[],
  response: ServerResponse,
  request: IncomingMessage,
) => boolean | Promise<boolean>;

/**
 * @param intercept returns true if it has dealt with the request itself
 * @returns the server's URL
 */
export async function startServer(respond: Responder, intercept: Interceptor = () => false): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as ServedCall | ServedCall[];
    if (await intercept(body, response, request)) return;
    const answer = async (call: ServedCall) => ({ jsonrpc: "2.0", id: call.id, ...(await respond(call, request)) });
    const answers = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a text with a status. */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): true {
  response.writeHead(status, headers).end(body);
  return true;
}
