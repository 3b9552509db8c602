/** The memory of the machine, or of the control group that limits this process. */

import { totalmem } from "node:os";

/** Half of it, in bytes: the rest is for the system's cache of files, and for others. */
export function defaultMemory(): number {
  // 0 if nothing limits the process; some systems say a number beyond all memory instead.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor(Math.min(limit, totalmem()) / 2);
}
