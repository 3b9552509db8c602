/**
 * The Worker as it is deployed; with the header `x-cold`, without a cache of points. `/account` is what its isolate says
 * that it holds, in bytes.
 */

import type { Bindings } from "../../../worker/context.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { createService } from "../../../worker/service.ts";
import { WithoutSlices } from "./states.ts";

const warm = new Isolate();
const cold = new WithoutSlices();
const [serveWarm, serveCold] = [warm, cold].map((isolate) => createService({ edge: null, now: Date.now, isolate }));

// Miniflare would print a line for each request.
console.log = () => {};

export default {
  fetch(request, bindings, context) {
    if (new URL(request.url).pathname === "/account") return Response.json(account());
    const service = request.headers.has("x-cold") ? serveCold! : serveWarm!;
    return service(request, bindings, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler<Bindings>;

const account = () => ({ all: warm.bytes + cold.bytes, requests: warm.budget.bytes + cold.budget.bytes });
