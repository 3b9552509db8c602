/**
 * Collects garbage at once, where a process is large: V8 waits, because it does not know what the columns outside its heap
 * take together.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Takes some 10 ms. */
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the process: up to here, garbage does no harm. No build may be given less than 512 MB. */
const LITTLE = 400 * 2 ** 20;

/** Collects the garbage of this thread, unless the process is small. */
export function collectIfLarge(): void {
  if (process.memoryUsage.rss() > LITTLE) collectGarbage();
}
