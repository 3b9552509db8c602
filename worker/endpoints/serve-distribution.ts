/** GET /v3/distributions/<name>: who holds the token, divided by cost, purchase or first appearance. */

import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { withManifest } from "../locate/locate.ts";
import { distributionOf, distributionTag, roughPoints } from "../read/distribution.ts";
import { type DistributionQuery, knownDistribution, validateDistribution } from "../request/distribution-query.ts";
import { onlyRead } from "../request/method.ts";
import { DISTRIBUTION_FORMATS } from "../request/parameters/table-formats.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { distributionBody } from "../table/table-body.ts";
import { admit } from "./admit.ts";

export async function serveDistribution(
  params: Record<string, string>,
  request: Request,
  context: Context,
): Promise<Response> {
  const name = knownDistribution(params.name!);
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = validateDistribution(name, parameters);
  entry.metric = query.name;
  entry.resolution = query.resolution;
  entry.format = query.format;
  return withManifest(query.symbol, context, async (manifest) => {
    entry.asset = manifest.symbol;
    timing.step("manifest");
    const wanted = distributionOf(query, manifest);
    const format = DISTRIBUTION_FORMATS[query.format];
    const lease = new Lease(context.isolate.budget, context.now, entry.owner);
    const answer: Answer = {
      tag: await distributionTag(wanted, query),
      points: roughPoints(wanted),
      format,
      file: respond.savedAs(fileParts(query), format),
      describe: (timings) =>
        respond.describe([manifest], "/v3/distributions", format, { ...limits, "Server-Timing": timings }),
      body: () => distributionBody(query, wanted, { ...context, lease }),
    };
    return send(answer, request, timing, context);
  });
}

const fileParts = ({ symbol, name, selector, resolution, around }: DistributionQuery) => [
  ...[symbol, name, selector, resolution],
  ...(around === null ? [] : [`around${around}`]),
];
