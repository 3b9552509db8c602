/** GET /v3/holders/<address>: one address in every asset. */

import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { validateAddress } from "../request/holders-query.ts";
import { onlyRead } from "../request/method.ts";
import { ADDRESS_FORMATS } from "../request/parameters/table-formats.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { ADDRESS_REPRESENTATION, addressRecords } from "../table/records/holder-records.ts";
import { recordsBody } from "../table/records/records.ts";
import { admit } from "./admit.ts";

export async function serveAddress(
  params: Record<string, string>,
  request: Request,
  context: Context,
): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = validateAddress(params.address!, parameters);
  entry.format = query.format;
  if (query.symbols !== null) entry.asset = query.symbols.join(",");
  const lease = new Lease(context.isolate.budget, context.now, entry.owner);
  const held = { ...context, lease };
  // What it is of is known when it has been found: its builds are in its rows.
  const records = await addressRecords(query, held).catch((error: unknown) => {
    lease.end();
    throw error;
  });
  const format = ADDRESS_FORMATS[query.format];
  const answer: Answer = {
    tag: await digestTag(JSON.stringify([ADDRESS_REPRESENTATION, query.format, records])),
    points: 0,
    format,
    file: respond.savedAs([query.address], format),
    describe: (timings) => ({
      ...limits,
      "Server-Timing": timings,
      ...(format.compressed && { Vary: "Accept-Encoding" }),
    }),
    body: () => recordsBody(query.format, async () => records, held),
  };
  try {
    return await send(answer, request, timing, context);
  } finally {
    // A 304 has no body that would end it.
    lease.end();
  }
}
