/** GET /v1/metrics/<metric> and /v2/metrics/<metric>: one series. */

import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { withManifest } from "../locate/locate.ts";
import { axisOf } from "../read/axis/axis-of.ts";
import { entityTag } from "../read/read-series.ts";
import { onlyRead } from "../request/method.ts";
import { SERIES_FORMATS } from "../request/parameters/table-formats.ts";
import { route, seriesPath } from "../request/route.ts";
import { validate } from "../request/validate.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { seriesBody } from "../table/v1-body.ts";
import { admit } from "./admit.ts";

export async function serveSeries(
  params: Record<string, string>,
  request: Request,
  context: Context,
): Promise<Response> {
  const endpoint = route(params.version!, params.metric!);
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = validate(endpoint, parameters);
  entry.metric = query.metric;
  entry.resolution = query.resolution;
  entry.format = query.format;
  return withManifest(query.symbol, { ...context, isFrozen: true }, async (manifest) => {
    entry.asset = manifest.symbol;
    timing.step("manifest");
    const { metric, resolution, since, until } = query;
    const lease = new Lease(context.isolate.budget, context.now, entry.owner);
    const format = SERIES_FORMATS[query.format];
    const answer: Answer = {
      tag: entityTag(query, manifest),
      points: axisOf(query).mostPoints(manifest, resolution, metric, since, until),
      format,
      file: respond.savedAs([manifest.symbol, metric, query.selector, resolution], format),
      describe: (timings) =>
        respond.describe([manifest], `${seriesPath(endpoint)}/meta`, format, { ...limits, "Server-Timing": timings }),
      body: () => seriesBody(query, manifest, { ...context, lease }),
    };
    return send(answer, request, timing, context);
  });
}
