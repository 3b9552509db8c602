/**
 * GET /udf/<call>: TradingView's UDF protocol. Bars need a key, as series do; what else it asks needs none, as the catalog.
 * Its clients read errors by `s` and `errmsg`, so that problem documents have them here.
 */

import { Lease } from "../budget.ts";
import { documentOf, pagePaths } from "../catalog/public-pages.ts";
import type { Context } from "../context.ts";
import { listAssets } from "../locate/listed-assets.ts";
import { withManifest } from "../locate/locate.ts";
import { internalError, Problem } from "../problems/problem.ts";
import { tableOf, tablePoints } from "../read/table-of-query.ts";
import { onlyRead } from "../request/method.ts";
import { TABLE_FORMATS } from "../request/parameters/table-formats.ts";
import { unknownPath } from "../request/route.ts";
import * as respond from "../respond/respond.ts";
import { type Answer, send } from "../respond/send.ts";
import { candleBody, candleTag } from "../table/candles.ts";
import { historyQuery, symbolQuery, toldOfSymbol } from "../udf/query.ts";
import { foundSymbols, symbolSearch } from "../udf/search.ts";
import { CONFIG, symbolInfo } from "../udf/symbol.ts";
import { admit } from "./admit.ts";
import { servePage } from "./serve-page.ts";

type Call = (request: Request, context: Context) => Promise<Response>;

const HOUR = 3600;
const MINUTE = 60;

const ignored = () => null;

const CALLS: Readonly<Record<string, Call>> = {
  config: (request, context) => servePage(() => documentOf(JSON.stringify(CONFIG), HOUR), ignored, request, context),
  time: (request, context) => {
    const text = String(Math.floor(context.now() / 1000));
    const document = { mediaType: "text/plain; charset=utf-8", text, maxAge: 0, tag: null };
    return servePage(async () => document, ignored, request, context);
  },
  search: (request, context) =>
    servePage(
      async (context, search) => {
        const listed = (await listAssets(context)).flatMap(({ entry }) => entry ?? []);
        return documentOf(JSON.stringify(foundSymbols(listed, search)), MINUTE);
      },
      symbolSearch,
      request,
      context,
    ),
  symbols: (request, context) =>
    servePage(
      async (context, query) =>
        withManifest(query.symbols[0]!, context, async (manifest) =>
          documentOf(JSON.stringify(symbolInfo(query, manifest)), MINUTE),
        ),
      symbolQuery,
      request,
      context,
    ),
  history,
};

const UDF_PATHS = Object.keys(CALLS).map((name) => `/udf/${name}`);

export async function serveUdf(params: Record<string, string>, request: Request, context: Context): Promise<Response> {
  try {
    const call = Object.hasOwn(CALLS, params.call!) ? CALLS[params.call!] : undefined;
    if (call === undefined) throw unknownPath(`/udf/${params.call}`, [...pagePaths(), ...UDF_PATHS]);
    return await call(request, context);
  } catch (error) {
    const told = toldOfSymbol(error);
    const problem = told instanceof Problem ? told : internalError(told);
    throw problem.withFacts({ s: "error", errmsg: problem.message });
  }
}

/** GET /udf/history: the bars of a series. */
async function history(request: Request, context: Context): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = historyQuery(parameters);
  entry.resolution = query.resolution;
  entry.format = "udf";
  return withManifest(query.symbols[0]!, context, async (manifest) => {
    entry.asset = manifest.symbol;
    timing.step("manifest");
    const wanted = tableOf(query, [manifest], null);
    const lease = new Lease(context.isolate.budget, context.now, entry.owner);
    const answer: Answer = {
      tag: await candleTag(wanted, query, [manifest]),
      points: tablePoints(wanted, query.last),
      format: TABLE_FORMATS.json,
      file: null,
      describe: (timings) =>
        respond.describe([manifest], "/v3/metrics", TABLE_FORMATS.json, { ...limits, "Server-Timing": timings }),
      body: () => candleBody(wanted, query.last, { ...context, lease }),
    };
    return send(answer, request, timing, context);
  });
}
