/** Authenticates and limits: the first steps of every request that needs a key. */

import type { Context } from "../context.ts";
import { Timing } from "../observe/timing.ts";
import { authenticate, knownKey } from "../request/authenticate.ts";
import { limitAddress, limitKey, ownerOf } from "../request/limit.ts";

/**
 * Counts a request that needs no key: against the key that it has all the same, if it is valid, else against its address.
 * Health checks count against the address alone, so that no use of a key stops them.
 *
 * @throws {Problem} 429
 */
export async function admitReader(request: Request, context: Context): Promise<void> {
  const { pathname } = new URL(request.url);
  const key = pathname === "/health" ? null : await knownKey(request, context);
  if (key === null) return limitAddress(request, context);
  await limitKey(key, request, context);
}

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
  context.entry.owner = ownerOf(key, request);
  const limits = await limitKey(key, request, context);
  timing.step("key");
  return { key, parameters, limits, timing };
}
