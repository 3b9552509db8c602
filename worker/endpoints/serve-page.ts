/** The documents that need no key: catalog, health, OpenAPI and others. */

import type { Context } from "../context.ts";
import type { Document } from "../isolate.ts";
import { onlyRead } from "../request/method.ts";
import { document } from "../respond/respond.ts";
import { admitReader } from "./admit.ts";

/**
 * The answer with a page.
 *
 * @param write writes its document
 * @param validate reads its parameters
 * @throws {Problem} 405; 429 too many from this address; what `validate` and `write` throw
 */
export async function servePage<Query>(
  write: (context: Context, query: Query) => Promise<Document>,
  validate: (parameters: URLSearchParams) => Query,
  request: Request,
  context: Context,
): Promise<Response> {
  onlyRead(request);
  await admitReader(request, context);
  const query = validate(new URL(request.url).searchParams);
  return document(await write(context, query), request);
}
