/** Answers with their entity tags: one that has not changed is not sent again. */

import { type Send, withBody } from "./transport.ts";

interface Kept {
  tag: string;
  body: ArrayBuffer;
  response: Response;
}

/** Keeps the answers that were asked for last, up to so many bytes; 304 gives the one that was kept. */
export function remembering(send: Send, mostBytes: number): Send {
  const kept = new Map<string, Kept>();
  let bytes = 0;
  const forget = (url: string) => {
    bytes -= kept.get(url)?.body.byteLength ?? 0;
    kept.delete(url);
  };
  return async (request) => {
    const { url } = request;
    const before = kept.get(url);
    if (before) request.headers.set("If-None-Match", before.tag);
    const response = await send(request);
    if (response.status === 304 && before) {
      if (kept.get(url) === before) {
        // The end of the map is what was asked for last.
        kept.delete(url);
        kept.set(url, before);
      }
      return withBody(before.response, before.body);
    }
    const tag = response.headers.get("ETag");
    if (response.status !== 200 || tag === null) return response;
    const body = await response.arrayBuffer();
    forget(url);
    if (body.byteLength <= mostBytes) {
      kept.set(url, { tag, body, response });
      bytes += body.byteLength;
      for (const [oldest] of kept) {
        if (bytes <= mostBytes) break;
        forget(oldest);
      }
    }
    return withBody(response, body);
  };
}
