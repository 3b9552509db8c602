/** Soprano's Worker without caches: every answer comes from what the bucket holds at that moment. */

import type { Bindings } from "../../worker/context.ts";
import { createService } from "../../worker/service.ts";

export default {
  fetch: (request, bindings, context) =>
    createService({ edge: null, now: Date.now })(request, bindings, (work) => context.waitUntil(work)),
} satisfies ExportedHandler<Bindings>;
