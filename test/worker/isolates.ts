/** A Worker as a location runs it: several isolates of different ages, each with its own caches. */

import type { Bindings } from "../../worker/context.ts";
import { createService, type Service } from "../../worker/service.ts";

const ISOLATES = 8;
/** One of so many requests finds an isolate that has just started. */
const LIFE = 150;

const start = (): Service => createService({ edge: null, now: Date.now });
const isolates = Array.from({ length: ISOLATES }, start);

export default {
  fetch(request, bindings, context) {
    const place = Math.floor(Math.random() * ISOLATES);
    if (Math.random() < 1 / LIFE) isolates[place] = start();
    return isolates[place]!(request, bindings, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler<Bindings>;
