/** The Worker as it is deployed; `/account` is what its isolate says that it holds, in bytes. */

import type { Bindings } from "../../../worker/context.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { createService } from "../../../worker/service.ts";

const isolate = new Isolate();
const service = createService({ edge: caches.default, now: Date.now, isolate });

// Miniflare would print a line for each request.
console.log = () => {};

export default {
  fetch(request, bindings, context) {
    if (new URL(request.url).pathname === "/account") return Response.json(isolate.bytes);
    return service(request, bindings, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler<Bindings>;
