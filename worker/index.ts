/** The Worker's entry. */

import type { Bindings } from "./context.ts";
import { createService } from "./service.ts";

const service = createService({ edge: caches.default, now: Date.now });

export default {
  fetch: (request, bindings, context) => service(request, bindings, (work) => context.waitUntil(work)),
} satisfies ExportedHandler<Bindings>;
