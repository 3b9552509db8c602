/**
 * Collects garbage at once, where a process is large: V8 waits, because it does not know what the columns outside its heap
 * take together.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Takes some 10 ms; then V8 has to optimise again some of the code that it had optimised. */
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the process: up to here, garbage does no harm. No build may be given less than 512 MB. */
const LITTLE = 400 * 2 ** 20;

/** Bytes of buffers that may come without a collection, which takes longer than a small task. */
const MOST_LEFT = 48 * 2 ** 20;
const FEW = 32 * 2 ** 20;

/** Bytes of this thread's buffers that are no garbage, as far as is known: the fewest since its last collection. */
let needed = 0;

/**
 * Collects the garbage of this thread, unless the process is small.
 *
 * @param left bytes of buffers, garbage or not, that may come without a collection: 48 MB at most
 */
export function collectIfLarge(left = FEW): void {
  const { rss, arrayBuffers } = process.memoryUsage();
  needed = Math.min(needed, arrayBuffers);
  if (rss <= LITTLE || arrayBuffers - needed <= Math.min(left, MOST_LEFT)) return;
  collectGarbage();
  needed = process.memoryUsage().arrayBuffers;
}
