/**
 * The Worker as it is deployed; with the header `x-cold`, every read reaches the bucket. `/account` is what its isolate says
 * that it holds, in bytes.
 */

import type { Bindings } from "../../../worker/context.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { createService } from "../../../worker/service.ts";
import { WithoutSlices } from "./states.ts";

const warm = new Isolate();
const cold = new (class extends WithoutSlices {
  override readonly budget = warm.budget;
})();
const serveWarm = createService({ edge: caches.default, now: Date.now, isolate: warm });
const serveCold = createService({ edge: null, now: Date.now, isolate: cold });

// Miniflare would print a line for each request, and one more for each that is refused.
console.log = console.error = () => {};

export default {
  fetch(request, bindings, context) {
    if (new URL(request.url).pathname === "/account") return Response.json(account());
    const service = request.headers.has("x-cold") ? serveCold : serveWarm;
    return service(request, bindings, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler<Bindings>;

const account = () => ({ all: warm.bytes + cold.bytes - cold.budget.bytes, requests: warm.budget.bytes });
