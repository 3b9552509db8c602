/** POST /mcp: tools for language models. */

import type { Context } from "../context.ts";
import { limitKey } from "../request/limit.ts";
import { onlyPost } from "../request/method.ts";
import { refuseForeignPages } from "../request/origin.ts";
import { validateNone } from "../request/validate.ts";
import { message } from "../respond/respond.ts";
import { admit } from "./admit.ts";

export async function mcp(request: Request, context: Context): Promise<Response> {
  onlyPost(request);
  refuseForeignPages(request);
  const { key, parameters, limits } = await admit(request, context);
  validateNone(parameters);
  // Loaded at the first request, since most isolates need none of it.
  const { answerMcp } = await import("../mcp/protocol.ts");
  const answer = await answerMcp(request, () => limitKey(key, request, context), context);
  context.entry.sent = answer.sent;
  return message(answer, limits);
}
