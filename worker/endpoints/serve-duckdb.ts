/** GET /v3/duckdb.sql: the files of some assets as views of DuckDB. */

import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { body } from "../format/body.ts";
import { DUCKDB_FORMAT, duckdbText } from "../format/duckdb-script.ts";
import { withManifests } from "../locate/locate.ts";
import { validateDuckdb } from "../request/duckdb-query.ts";
import { onlyRead } from "../request/method.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { admit } from "./admit.ts";

/** Version of the script: raise it if the same builds give another text. */
const REPRESENTATION = 1;

export async function serveDuckdb(request: Request, context: Context): Promise<Response> {
  onlyRead(request);
  const { entry, origin } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const { symbols, resolutions } = validateDuckdb(parameters);
  entry.format = "sql";
  return withManifests(symbols, context, async (manifests) => {
    entry.asset = symbols.join(",");
    timing.step("manifest");
    const builds = manifests.map(({ symbol, build, asOf }) => [symbol, build, asOf]);
    const lease = new Lease(context.isolate.budget, context.now, entry.owner);
    const answer: Answer = {
      tag: await digestTag(JSON.stringify([REPRESENTATION, builds, resolutions, origin])),
      points: 0,
      format: DUCKDB_FORMAT,
      file: respond.savedAs([...(symbols.length === 1 ? symbols : []), "soprano"], DUCKDB_FORMAT),
      describe: (timings) => respond.describe(manifests, null, DUCKDB_FORMAT, { ...limits, "Server-Timing": timings }),
      body: () => body(duckdbText(manifests, resolutions, origin), 0, { ...context, lease }),
    };
    return send(answer, request, timing, context);
  });
}
