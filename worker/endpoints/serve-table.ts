/** GET /v3/series: several series on one time line. */

import type { Manifest } from "../../data-schema/stored.ts";
import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { withBuild } from "../locate/kept-builds.ts";
import { withManifests } from "../locate/locate.ts";
import { answerable } from "../locate/read-known.ts";
import { tableOf, tablePoints, tableTag } from "../read/table-of-query.ts";
import { onlyRead } from "../request/method.ts";
import { TABLE_FORMATS } from "../request/parameters/table-formats.ts";
import { placeOfAsset, type TableQuery, validateTable } from "../request/table-query.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { tableBody } from "../table/table-body.ts";
import { admit } from "./admit.ts";

export async function serveTable(request: Request, context: Context): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = validateTable(parameters);
  entry.resolution = query.resolution;
  entry.format = query.format;
  const respondFrom = async (active: readonly Manifest[]) => {
    entry.asset = query.symbols.join(",");
    const { manifests, known, context: counted } = await answerable(query.known, active, context);
    timing.step("manifest");
    const wanted = tableOf(query, manifests, known);
    const format = TABLE_FORMATS[query.format];
    const lease = new Lease(context.isolate.budget, context.now, entry.owner);
    const answer: Answer = {
      tag: await tableTag(wanted, query, manifests),
      points: tablePoints(wanted, query.last),
      format,
      file: respond.savedAs(namesOf(query), format),
      describe: (timings) =>
        respond.describe(manifests, "/v3/metrics", format, { ...limits, "Server-Timing": timings }),
      body: () => tableBody(query, wanted, manifests, { ...counted, lease }),
    };
    return send(answer, request, timing, context);
  };
  const { symbols, others, build } = query;
  if (build === null) return withManifests([...symbols, ...others], context, respondFrom, placeOfAsset(query));
  return withBuild(symbols[0]!, build, context, (manifest) => respondFrom([manifest]));
}

/** What a file of the table is named after: its asset and its series, where there is only one. */
function namesOf({ symbols, measures, formulas, resolution }: TableQuery): string[] {
  const only = (names: readonly string[]) => (names.length === 1 ? names : []);
  const series = [...measures.map(({ measure }) => measure.name), ...formulas.map(({ name }) => name)];
  return [...only(symbols), ...only(series), "series", resolution];
}
