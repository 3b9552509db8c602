/** GET /v3/screener: one row per asset. */

import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { body } from "../format/body.ts";
import type { TextPiece } from "../format/rows-and-pieces.ts";
import { screenedAssets } from "../locate/screeners.ts";
import { onlyRead } from "../request/method.ts";
import { TABLE_FORMATS } from "../request/parameters/table-formats.ts";
import { validateScreener } from "../request/screener-query.ts";
import { savedAs } from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { screenerText } from "../table/screener-text.ts";
import { admit } from "./admit.ts";

export async function serveScreener(request: Request, context: Context): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const format = validateScreener(parameters);
  entry.format = format;
  const text = screenerText(await screenedAssets(context), format);
  timing.step("manifest");
  const facts = TABLE_FORMATS[format];
  const lease = new Lease(context.isolate.budget, context.now, entry.owner);
  const answer: Answer = {
    tag: await digestTag(text),
    points: 0,
    format: facts,
    file: savedAs(["screener"], facts),
    describe: (timings) => ({
      ...limits,
      "Server-Timing": timings,
      ...(facts.compressed && { Vary: "Accept-Encoding" }),
    }),
    body: () => body(pieceOf(text), 0, { ...context, lease }),
  };
  return send(answer, request, timing, context);
}

async function* pieceOf(text: string): AsyncGenerator<TextPiece> {
  yield { text: new TextEncoder().encode(text), points: 0 };
}
