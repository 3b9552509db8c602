/** Repeats the random case that failed: `TEST_SEED=SEED,PATH`, as the end of the log says it. */

import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Empty: each run tries other cases. */
    seed: string;
    /** `TEST_EFFORT`, as in effort.ts: workerd has no environment. */
    effort: number;
  }
}

const [seed, path] = inject("seed").split(",");
if (seed) fc.configureGlobal({ seed: Number(seed), ...(path !== undefined && { path }) });
