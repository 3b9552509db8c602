/**
 * The bindings BUCKET and KEYS, called from Node over HTTP through a script inside workerd. Miniflare's own proxies of
 * bindings turn every body into base64 text, which takes longer than making it, and take a second to start.
 */

import { randomUUID } from "node:crypto";
import type { Miniflare } from "miniflare";

/** What the script does; the names are its functions'. */
export type Call =
  | { do: "get"; key: string }
  | { do: "put"; key: string; options: object }
  | { do: "list" | "listKeys"; prefix: string; cursor: string | undefined }
  /** The body is an array of keys. */
  | { do: "delete" }
  | { do: "getKey"; name: string }
  | { do: "putKey"; name: string };

export interface Answer {
  /** 200; 404: there is none; 412: the condition of a put does not hold. */
  status: number;
  /** Of an object. */
  etag: string;
  bytes: Uint8Array;
}

export interface Bindings {
  /** @throws {Error} why it failed, in a line */
  call(call: Call, body?: Uint8Array): Promise<Answer>;
}

/** What lists hold under a prefix, page after page. Dates are texts. */
interface Listed {
  list: { key: string; size: number; etag: string; uploaded: string };
  listKeys: { name: string };
}

/** @throws {Error} as `call` */
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

const SCRIPT = `
const none = () => new Response(null, { status: 404 });
const done = () => new Response(null);
const DEEDS = {
  async get({ key }, { BUCKET }) {
    const object = await BUCKET.get(key);
    return object === null ? none() : new Response(object.body, { headers: { "x-etag": object.etag } });
  },
  async put({ key, options }, { BUCKET }, request) {
    const object = await BUCKET.put(key, request.body, options);
    return object === null ? new Response(null, { status: 412 }) : done();
  },
  async list({ prefix, cursor }, { BUCKET }) {
    const { objects, ...page } = await BUCKET.list({ prefix, cursor });
    const items = objects.map(({ key, size, etag, uploaded }) => ({ key, size, etag, uploaded }));
    return Response.json({ items, cursor: page.truncated ? page.cursor : undefined });
  },
  async delete(_, { BUCKET }, request) {
    await BUCKET.delete(await request.json());
    return done();
  },
  async getKey({ name }, { KEYS }) {
    const text = await KEYS.get(name, "text");
    return text === null ? none() : new Response(text);
  },
  async putKey({ name }, { KEYS }, request) {
    await KEYS.put(name, await request.text());
    return done();
  },
  async listKeys({ prefix, cursor }, { KEYS }) {
    const { keys: items, ...page } = await KEYS.list({ prefix, cursor });
    return Response.json({ items, cursor: page.list_complete ? undefined : page.cursor });
  },
};
export default {
  async fetch(request, env) {
    if (request.headers.get("x-token") !== env.TOKEN) return new Response(null, { status: 403 });
    const call = JSON.parse(decodeURIComponent(request.headers.get("x-call")));
    try {
      return await DEEDS[call.do](call, env, request);
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
}`;

/** The script as Miniflare takes it, and the token that keeps other programs on this machine out. */
export function bindingsScript() {
  const token = randomUUID();
  return { token, modules: true, script: SCRIPT, bindings: { TOKEN: token } };
}

export function callBindings(miniflare: Miniflare, token: string): Bindings {
  return {
    async call(call, body) {
      const response = await miniflare.dispatchFetch("http://localhost/", {
        headers: {
          "x-token": token,
          // Otherwise it is compressed on the way, which takes several times as long as all the rest.
          "accept-encoding": "identity",
          "x-call": encodeURIComponent(JSON.stringify(call)),
          ...(body && { "content-length": String(body.length) }),
        },
        ...(body && { method: "PUT", body }),
      });
      const { status, headers } = response;
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (!response.ok && status !== 404 && status !== 412) throw new Error(new TextDecoder().decode(bytes));
      return { status, etag: headers.get("x-etag") ?? "", bytes };
    },
  };
}
