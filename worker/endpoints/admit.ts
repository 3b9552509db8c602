/** Authenticates and limits: the first steps of every request that needs a key. */

import type { Context } from "../context.ts";
import { Timing } from "../observe/timing.ts";
import { authenticate } from "../request/authenticate.ts";
import { limitKey } from "../request/limit.ts";

/**
 * The key of a request, its parameters, the headers that tell its limits, and the clock that measures its steps.
 *
 * @throws {Problem} as `authenticate`; 429 too many for the key's plan
 */
export async function admit(request: Request, context: Context) {
  const timing = new Timing(context.now);
  const parameters = new URL(request.url).searchParams;
  const key = await authenticate(request, parameters, context);
  context.entry.key = key.id;
  const limits = await limitKey(key, request, context);
  timing.step("key");
  return { key, parameters, limits, timing };
}
