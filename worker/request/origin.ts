/** Which pages may send messages to POST /mcp. Source: docs/mcp.md#limits-and-errors. */

import { Problem } from "../problems/problem.ts";

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses pages of other hosts while the server runs on this machine: one that rebinds its name to 127.0.0.1 could ask it
 * from any browser. On a public host any page may ask, since it has nothing but the key that it brings.
 *
 * @throws {Problem} 403
 */
export function refuseForeignPages(request: Request): void {
  const origin = request.headers.get("Origin");
  if (origin === null) return;
  const page = URL.parse(origin);
  const isHere = (url: URL) => LOOPBACK.test(url.hostname);
  if (page !== null && (isHere(page) || !isHere(new URL(request.url)))) return;
  throw new Problem("foreign-origin", "The header Origin is not that of a page that may ask this server.");
}
