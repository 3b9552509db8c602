/**
 * Soprano's Worker without caches: every answer comes from what the bucket holds at that moment. `/objects` lists the
 * bucket, as JSON: the entity tag and size of an object by its key, and the text of a manifest.
 */

import type { Bindings } from "../../worker/context.ts";
import { createService } from "../../worker/service.ts";

export default {
  fetch(request, bindings, context) {
    if (new URL(request.url).pathname === "/objects") return listObjects(bindings.BUCKET);
    return createService({ edge: null, now: Date.now })(request, bindings, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler<Bindings>;

async function listObjects(bucket: R2Bucket): Promise<Response> {
  const found: Record<string, string> = {};
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list(cursor ? { cursor } : {});
    for (const { key, etag, size } of page.objects) {
      found[key] = key.endsWith(".json") ? await (await bucket.get(key))!.text() : `${etag} ${size}`;
    }
    if (!page.truncated) return Response.json(found);
    cursor = page.cursor;
  }
}
