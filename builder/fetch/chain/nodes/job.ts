/** A call on its way through the nodes: which of them have failed, and when it is tried again. */

import type { Call } from "../rpc/answer.ts";

export interface Job {
  call: Call;
  index: number;
  attempts: number;
  /** Nodes that failed since the last pause. */
  failed: Set<number>;
  /** Nodes that would say the same again. */
  done: Set<number>;
  /** Not before. */
  notBefore: number;
  rounds: number;
  /** When it was first tried. */
  since: number;
}

export const newJob = (call: Call, index: number): Job => ({
  call,
  index,
  attempts: 0,
  failed: new Set(),
  done: new Set(),
  notBefore: 0,
  rounds: 0,
  since: Date.now(),
});

/** Whether two jobs may be asked of the same node at the same time. */
export function isAlike(a: Job, b: Job): boolean {
  const isSame = (one: Set<number>, other: Set<number>) =>
    one.size === other.size && [...one].every((node) => other.has(node));
  return isSame(a.failed, b.failed) && isSame(a.done, b.done);
}
