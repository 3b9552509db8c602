/** What the engine can't compute: a value, which whoever asked for it puts into words. */

import type { MetricName } from "../../data-schema/registry.ts";

export type RefusalCause =
  /** A kernel may have 4 GB of memory, and needs more for what was given to it. */
  | { kind: "memory"; of: "partition" | "month of blocks" }
  /** A sum exceeds the range of a double. */
  | { kind: "overflow"; metric: MetricName };

/** Kernels can say nothing but by an error. */
export class EngineRefusal extends Error {
  override name = "EngineRefusal";
  readonly refusal: RefusalCause;

  constructor(refusal: RefusalCause) {
    super(JSON.stringify(refusal));
    this.refusal = refusal;
  }
}
