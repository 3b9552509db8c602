/** GET /v3/series: several series on one time line. */

import type { Manifest } from "../../data-schema/manifest.ts";
import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { withBuild } from "../locate/builds.ts";
import { knownOf } from "../locate/known.ts";
import { withManifests } from "../locate/locate.ts";
import type { AsKnown } from "../read/as-known.ts";
import { MOST_SUBREQUESTS } from "../read/rows.ts";
import { tableOf, tablePoints } from "../read/table.ts";
import { onlyRead } from "../request/method.ts";
import { TABLE_FORMATS } from "../request/table-formats.ts";
import { validateTable } from "../request/table-query.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { tableBody } from "../table/body.ts";
import { admit } from "./admit.ts";

/** What a request may still read when it knows what was known. */
const readsAfter = (known: readonly AsKnown[]) => ({
  left: MOST_SUBREQUESTS - known.reduce((sum, { reads }) => sum + reads, 0),
});

export async function table(request: Request, context: Context): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = validateTable(parameters);
  entry.resolution = query.resolution;
  entry.format = query.format;
  const respondFrom = async (active: readonly Manifest[]) => {
    entry.asset = query.symbols.join(",");
    const known = await knownOf(query, active, context);
    const manifests = known?.map(({ manifest }) => manifest) ?? active;
    timing.step("manifest");
    const wanted = tableOf(query, manifests, known);
    const format = TABLE_FORMATS[query.format];
    const lease = new Lease(context.isolate.budget, context.now, entry.owner);
    const answer: Answer = {
      tag: await respond.tableTag(wanted, query),
      points: tablePoints(wanted, query.last),
      format,
      file: respond.tableFile(query),
      describe: (timings) =>
        respond.describe(manifests, "/v3/metrics", format, { ...limits, "Server-Timing": timings }),
      body: () =>
        tableBody(query, wanted, manifests, { ...context, lease, ...(known && { reads: readsAfter(known) }) }),
    };
    return send(answer, request, timing, context);
  };
  const { symbols, others, build } = query;
  if (build === null) return withManifests([...symbols, ...others], context, respondFrom);
  return withBuild(symbols[0]!, build, context, (manifest) => respondFrom([manifest]));
}
