/** Moving averages of whole curves. */

import { SMA } from "./functions/averages.ts";
import type { Computation } from "./resolve.ts";

/** The mean of the last n rows of a computation, as `sma` gives it. */
export function smoothed({ expression, inputs, reach }: Computation, n: number): Computation {
  const form = SMA.counted!;
  return { expression: { kind: "call", form, of: expression, n }, inputs, reach: reach + form.reach(n) };
}
