/** POST /mcp: tools for language models. */

import type { Context } from "../context.ts";
import { Problem } from "../problems/problem.ts";
import { limitKey } from "../request/limit.ts";
import { onlyPost } from "../request/method.ts";
import { validateNone } from "../request/validate.ts";
import { message } from "../respond/respond.ts";
import { admit } from "./admit.ts";

export async function serveMcp(request: Request, context: Context): Promise<Response> {
  onlyPost(request);
  refuseForeignPages(request);
  const { parameters, key, limits } = await admit(request, context);
  validateNone(parameters);
  // Loaded at the first request, since most isolates need none of it.
  const { answerMcp } = await import("../mcp/protocol.ts");
  const answer = await answerMcp(request, () => limitKey(key, request, context), context);
  context.entry.sent = answer.sent;
  return message(answer, limits);
}

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
