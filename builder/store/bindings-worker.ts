/**
 * The Worker that gives Node access to the bindings BUCKET and KEYS. It runs in workerd, one operation a request:
 * the header `x-call` says which, the body holds the content.
 */

import type { KVNamespace, R2Bucket, ReadableStream as WorkersStream } from "@cloudflare/workers-types";
import type { Call } from "./bindings.ts";

interface Env {
  BUCKET: R2Bucket;
  KEYS: KVNamespace;
  TOKEN: string;
}

const missing = () => new Response(null, { status: 404 });
const done = () => new Response(null);

async function answer(call: Call, { BUCKET, KEYS }: Env, request: Request): Promise<Response> {
  switch (call.do) {
    case "get": {
      const object = await BUCKET.get(call.key, call.range && { range: call.range });
      if (object === null) return missing();
      return new Response(object.body as unknown as ReadableStream, { headers: { "x-etag": object.etag } });
    }
    case "head": {
      const object = await BUCKET.head(call.key);
      return object === null ? missing() : new Response(null, { headers: { "x-etag": object.etag } });
    }
    case "put": {
      const object = await BUCKET.put(call.key, request.body as WorkersStream | null, call.options);
      return object === null ? new Response(null, { status: 412 }) : done();
    }
    case "list": {
      const page = await BUCKET.list({ prefix: call.prefix, ...(call.cursor && { cursor: call.cursor }) });
      const items = page.objects.map(({ key, size, etag, uploaded }) => ({ key, size, etag, uploaded }));
      return Response.json({ items, cursor: page.truncated ? page.cursor : undefined });
    }
    case "delete":
      await BUCKET.delete((await request.json()) as string[]);
      return done();
    case "getKey": {
      const text = await KEYS.get(call.name, "text");
      return text === null ? missing() : new Response(text);
    }
    case "putKey":
      await KEYS.put(call.name, await request.text());
      return done();
    case "listKeys": {
      const page = await KEYS.list({ prefix: call.prefix, ...(call.cursor && { cursor: call.cursor }) });
      return Response.json({ items: page.keys, cursor: page.list_complete ? undefined : page.cursor });
    }
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.headers.get("x-token") !== env.TOKEN) return new Response(null, { status: 403 });
    try {
      return await answer(JSON.parse(decodeURIComponent(request.headers.get("x-call")!)), env, request);
    } catch (error) {
      return new Response((error as Error).message, { status: 500 });
    }
  },
};
