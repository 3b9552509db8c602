/**
 * Soprano's Worker that knows nothing of earlier requests, and says what each has cost: `X-Reads` has the reads of KV
 * and the calls of R2. `X-Store` says what the store is like: `whole`, `damaged` or `down`.
 */

import type { Bindings } from "../../worker/context.ts";
import { createService } from "../../worker/service.ts";
import { countingKeys, failingBucket, readingBucket, recordingBucket } from "./bindings.ts";

const STORES: Record<string, (bucket: R2Bucket) => R2Bucket> = {
  whole: (bucket) => bucket,
  // Every object has the bytes of another one.
  damaged: (bucket) =>
    readingBucket(
      bucket,
      (_, options) => bucket.get("damage", options),
      () => true,
    ),
  down: (bucket) => failingBucket(bucket, () => true),
};

export default {
  async fetch(request, bindings) {
    const store = STORES[request.headers.get("X-Store") ?? "whole"]!;
    const { bucket, take } = recordingBucket(store(bindings.BUCKET));
    const { keys, reads } = countingKeys(bindings.KEYS);
    const background: Promise<unknown>[] = [];
    const service = createService({ edge: null, now: Date.now });
    const counted = { ...bindings, BUCKET: bucket, KEYS: keys };
    const response = await service(request, counted, (work) => background.push(work));
    // An answer may break off where the store is damaged.
    const body = await response.bytes().catch(() => null);
    await Promise.allSettled(background);
    const headers = new Headers(response.headers);
    headers.set("X-Reads", `${reads()} ${take().length}`);
    return new Response(body?.length ? body : null, { status: response.status, headers });
  },
} satisfies ExportedHandler<Bindings>;
