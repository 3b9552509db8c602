/** The Worker in the states that a request may find it in: the product's own code, with less memory. */

import type { SeriesFooter } from "../../../data-schema/parquet/footer.ts";
import type { Slice } from "../../../data-schema/series.ts";
import type { Bindings, Context } from "../../../worker/context.ts";
import { Isolate, Memory } from "../../../worker/isolate.ts";
import { createService, type Service } from "../../../worker/service.ts";

/** Keys, manifests and footers are remembered, points are not. */
class WithoutSlices extends Isolate {
  override readonly slices = new Memory<Slice>(0, () => 1);
}

/** Nothing of the data is remembered. */
class WithoutFooters extends WithoutSlices {
  override readonly footers = new Memory<SeriesFooter>(0, () => 1);
}

const now = Date.now;

/** What the warm Worker remembers. */
export const warmIsolate = new Isolate();

const services = {
  /** Footers are known, data is read from R2. */
  cold: createService({ edge: null, now, isolate: new WithoutSlices() }),
  /** Footers and data are read from R2. */
  first: createService({ edge: null, now, isolate: new WithoutFooters() }),
  /** Footers are known, data comes from this location's cache. */
  colo: createService({ edge: caches.default, now, isolate: new WithoutSlices() }),
  /** Points are in memory. */
  warm: createService({ edge: null, now, isolate: warmIsolate }),
} satisfies Record<string, Service>;

export type State = keyof typeof services;

export const isState = (name: string): name is State => name in services;

export function answer(state: State, request: Request, bindings: Bindings, waitUntil: Context["waitUntil"]) {
  return services[state](request, bindings, waitUntil);
}
