/** Authenticates and limits: what every request is counted by, once. */

import type { Context } from "../context.ts";
import { Timing } from "../observe/timing.ts";
import { authenticate, keyRecord } from "../request/authenticate.ts";
import { limitAddress, limitKey, ownerOf } from "../request/limit.ts";

/**
 * Counts a request against its address, whatever key it has: of a page, of a redirect, or one that is refused before its
 * key would have been looked at.
 *
 * @throws {Problem} 429
 */
export function admitAny(request: Request, context: Context): Promise<void> {
  context.entry.isCounted = true;
  return limitAddress(request, context);
}

/**
 * Counts a request that needs no key: against the key that it has all the same, if it is valid, else against its address.
 * Health checks count against the address alone, so that no use of a key stops them.
 *
 * @throws {Problem} 429
 */
export async function admitReader(request: Request, context: Context): Promise<void> {
  if (new URL(request.url).pathname === "/health") return admitAny(request, context);
  context.entry.isCounted = true;
  const key = await keyRecord(request, context);
  if (key !== null) await limitKey(key, request, context);
}

/**
 * The key of a request, its parameters, the headers that tell its limits, and the clock that measures its steps.
 *
 * @throws {Problem} as `authenticate`; 429 too many for the key's plan
 */
export async function admit(request: Request, context: Context) {
  const parameters = new URL(request.url).searchParams;
  const timing = new Timing(context.now);
  context.entry.isCounted = true;
  const key = await authenticate(request, parameters, context);
  context.entry.key = key.id;
  context.entry.owner = ownerOf(key, request);
  const limits = await limitKey(key, request, context);
  timing.step("key");
  return { parameters, key, limits, timing };
}
