/** The Worker in the states that a request may find it in: the same code, with smaller caches. */

import type { SeriesFooter, Slice } from "../../../data-schema/parquet.ts";
import type { Bindings, Context } from "../../../worker/context.ts";
import { Isolate, Memory } from "../../../worker/isolate.ts";
import { createService, type Service } from "../../../worker/service.ts";

/** Caches keys, manifests and footers, but no points. */
export class WithoutSlices extends Isolate {
  override readonly slices = new Memory<Slice>(0, () => 1);
}

/** Caches neither footers nor points. */
class WithoutFooters extends WithoutSlices {
  override readonly footers = new Memory<SeriesFooter>(0, () => 1);
}

const now = Date.now;

/** The caches of the warm Worker. */
export const warmIsolate = new Isolate();

const services = {
  /** Footers are cached, data is read from R2. */
  cold: createService({ edge: null, now, isolate: new WithoutSlices() }),
  /** Footers and data are read from R2. */
  first: createService({ edge: null, now, isolate: new WithoutFooters() }),
  /** Footers are cached; data, and long answers, come from this location's cache. */
  colo: createService({ edge: caches.default, now, isolate: new WithoutSlices() }),
  /** Points are in memory, long answers in this location's cache. */
  warm: createService({ edge: caches.default, now, isolate: warmIsolate }),
} satisfies Record<string, Service>;

export type State = keyof typeof services;

export const isState = (name: string): name is State => name in services;

export function answer(state: State, request: Request, bindings: Bindings, waitUntil: Context["waitUntil"]) {
  return services[state](request, bindings, waitUntil);
}
