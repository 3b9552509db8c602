/** Limits on requests, counted approximately and per location by Cloudflare's rate-limit bindings. */

import { ADDRESS_LIMIT, type ApiKeyRecord, LIMIT_SECONDS, type Limit, planOf } from "../../data-schema/access.ts";
import type { Context } from "../context.ts";
import { logFailure } from "../observe/log.ts";
import { Problem } from "../problems/problem.ts";

/**
 * Counts a request against its key's plan. Everyone has a public key, so each client address that uses one has the
 * plan's limit on its own: no visitor can use up the requests of the others.
 *
 * @returns headers for the answer that tell the limit; none if there is no limit
 * @throws {Problem} 429
 */
export function limitKey(
  { id, plan, public: isPublic }: ApiKeyRecord,
  request: Request,
  context: Context,
): Promise<Record<string, string>> {
  const limit = planOf(plan);
  const address = isPublic ? addressOf(request) : null;
  if (address === null) {
    return count(limit, id, `The plan ${limit.name} has ${limit.requests} requests a minute.`, context);
  }
  const detail = `With this public API key, an address has ${limit.requests} requests a minute.`;
  return count(limit, `${id} ${networkOf(address)}`, detail, context);
}

/**
 * Counts a request against its client's address. One without an address is not counted.
 *
 * @throws {Problem} 429
 */
export async function limitAddress(request: Request, context: Context): Promise<void> {
  const address = addressOf(request);
  if (address === null) return;
  const detail = `Without a known API key, an address has ${ADDRESS_LIMIT.requests} requests a minute.`;
  await count(ADDRESS_LIMIT, networkOf(address), detail, context);
}

/** Whose requests share what one may use of an isolate: a key's, or with a public key those of an address. */
export function ownerOf({ id, public: isPublic }: ApiKeyRecord, request: Request): string {
  const address = isPublic ? addressOf(request) : null;
  return address === null ? id : `${id} ${networkOf(address)}`;
}

/** By what guesses of keys are remembered: the client's network, or all clients without an address. */
export const guesserOf = (request: Request): string => networkOf(addressOf(request) ?? "");

/** The client's address; null if the request comes from another Worker of the operator's, not over the network. */
const addressOf = ({ headers }: Request) => headers.get("CF-Connecting-IP");

/**
 * The network that belongs to one client: an IPv4 address, also if it is written as an IPv6 address
 * (`::ffff:192.0.2.1`), or the first four groups of an IPv6 address, which are its /64.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [head = [], tail] = address.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(Math.max(0, zeros)).fill("0"), ...(tail ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}

async function count(
  limit: Limit,
  key: string,
  detail: string,
  { bindings, entry }: Context,
): Promise<Record<string, string>> {
  const limiter = limit.binding === null ? undefined : bindings[limit.binding];
  if (limiter === undefined) return {};
  const headers = { "RateLimit-Policy": `"${limit.name}";q=${limit.requests};w=${LIMIT_SECONDS}` };
  let success = true;
  try {
    ({ success } = await limiter.limit({ key }));
  } catch (cause) {
    // Serve without a limit rather than not at all.
    logFailure("limiter-unavailable", cause, entry.id);
  }
  if (!success) throw new Problem("too-many-requests", `${detail} Try again in a minute.`, {}, undefined, headers);
  return headers;
}
