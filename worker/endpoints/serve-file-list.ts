/** GET /v3/files/<ASSET>: the files of an asset's active build. */

import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { body } from "../format/body.ts";
import { fileListText } from "../format/file-list.ts";
import { withManifest } from "../locate/locate.ts";
import { onlyRead } from "../request/method.ts";
import { TABLE_FORMATS } from "../request/parameters/table-formats.ts";
import { upperCase, validateNone } from "../request/validate.ts";
import { fileListTag } from "../respond/etag.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { admit } from "./admit.ts";

export async function serveFileList(
  params: Record<string, string>,
  request: Request,
  context: Context,
): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  validateNone(parameters);
  entry.format = "json";
  return withManifest(upperCase(params.asset!), context, async (manifest) => {
    entry.asset = manifest.symbol;
    timing.step("manifest");
    const lease = new Lease(context.isolate.budget, context.now, entry.owner);
    const answer: Answer = {
      tag: fileListTag(manifest, context.origin),
      points: 0,
      format: TABLE_FORMATS.json,
      file: null,
      describe: (timings) =>
        respond.describe([manifest], null, TABLE_FORMATS.json, { ...limits, "Server-Timing": timings }),
      body: () => body(fileListText(manifest, context.origin), null, { ...context, lease }),
    };
    return send(answer, request, timing, context);
  });
}
