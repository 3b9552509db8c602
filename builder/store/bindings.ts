/**
 * Calls the bindings BUCKET and KEYS from Node, over HTTP through a Worker in workerd (`bindings-worker.ts`). Miniflare's
 * own proxies of bindings encode every body as base64, which takes longer than making it, and need a second to start.
 */

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { pipeline, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Miniflare } from "miniflare";
import { type ByteRange, sizeOf } from "./store.ts";

/** What the Worker does. */
export type Call =
  | { do: "get"; key: string; range: ByteRange | undefined }
  | { do: "head"; key: string }
  | { do: "put"; key: string; options: object }
  | { do: "list" | "listKeys"; prefix: string; cursor: string | undefined }
  /** The body is an array of keys. */
  | { do: "delete" }
  | { do: "getKey"; name: string }
  | { do: "putKey"; name: string };

interface BindingAnswer {
  /** 200; 404: there is none; 412: the condition of a put doesn't hold. */
  status: number;
  /** The entity tag of an object. */
  etag: string;
  bytes: Uint8Array;
}

export interface Bindings {
  /** @throws {Error} why it failed, in a line */
  call(call: Call, body?: Uint8Array | Blob): Promise<BindingAnswer>;
}

/** The items of a list. */
interface Listed {
  /** `uploaded` in ISO 8601. */
  list: { key: string; size: number; etag: string; uploaded: string };
  listKeys: { name: string };
}

/**
 * Everything under a prefix, page after page.
 *
 * @throws {Error} as `call`
 */
export async function* listed<Kind extends keyof Listed>(
  { call }: Bindings,
  kind: Kind,
  prefix: string,
): AsyncGenerator<Listed[Kind]> {
  let cursor: string | undefined;
  do {
    const { bytes } = await call({ do: kind, prefix, cursor });
    const page: { items: Listed[Kind][]; cursor?: string } = JSON.parse(new TextDecoder().decode(bytes));
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** `bindings-worker.ts` as Miniflare takes it, and the token that keeps other programs on this machine out. */
export async function bindingsWorker() {
  // Loads esbuild, which a build to R2 does not need.
  const { workerModules } = await import("./bundle.ts");
  const token = randomUUID();
  return { token, ...(await workerModules("builder/store/bindings-worker.ts")), bindings: { TOKEN: token } };
}

export function callBindings(miniflare: Miniflare, token: string): Bindings {
  return {
    async call(call, body) {
      const headers = {
        "x-token": token,
        // Compression would take several times as long as everything else.
        "accept-encoding": "identity",
        "x-call": encodeURIComponent(JSON.stringify(call)),
        ...(body && { "content-length": String(sizeOf(body)) }),
      };
      const answer = await send(await miniflare.ready, { method: body ? "PUT" : "GET", headers }, body);
      const { status, bytes } = answer;
      if (status >= 300 && status !== 404 && status !== 412) throw new Error(new TextDecoder().decode(bytes));
      return answer;
    },
  };
}

/** Sends a body as it is, a Blob as fast as workerd takes it. Miniflare's `dispatchFetch` would copy all of it first. */
async function send(url: URL, options: http.RequestOptions, body?: Uint8Array | Blob): Promise<BindingAnswer> {
  const request = http.request(url, options);
  const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
  // An error ends the request, which reports it.
  if (body instanceof Blob) pipeline(Readable.fromWeb(body.stream()), request, () => {});
  else request.end(body);
  const [response] = await answered.catch((error) => {
    if (!isClosed(error) || !request.reusedSocket) throw error;
    return [];
  });
  // workerd closes idle connections, which a busy thread learns too late. It has not seen the request.
  if (!response) return send(url, { ...options, agent: false }, body);
  const { statusCode, headers } = response;
  return { status: statusCode!, etag: String(headers["x-etag"] ?? ""), bytes: new Uint8Array(await buffer(response)) };
}

const isClosed = ({ code }: NodeJS.ErrnoException) => code === "ECONNRESET" || code === "EPIPE";
