/** The table of routes, and what every request has in common: its context, its failures, its log line. */

import { type IRequest, Router } from "itty-router";
import { API_KEY_PATTERN } from "../data-schema/access.ts";
import { privately } from "./cache-control.ts";
import {
  changesPage,
  HEALTH_PATH,
  healthPage,
  PAGES,
  pagePaths,
  STATIC_PAGES,
  V3_PAGES,
} from "./catalog/public-pages.ts";
import type { Bindings, Context } from "./context.ts";
import { admitAny } from "./endpoints/admit.ts";
import { serveAddress } from "./endpoints/serve-address.ts";
import { serveDistribution } from "./endpoints/serve-distribution.ts";
import { serveDuckdb } from "./endpoints/serve-duckdb.ts";
import { serveAddressPage, serveBoard, serveExplorer, serveNotFound } from "./endpoints/serve-explorer.ts";
import { serveFile } from "./endpoints/serve-file.ts";
import { serveFileList } from "./endpoints/serve-file-list.ts";
import { serveMcp } from "./endpoints/serve-mcp.ts";
import { servePage } from "./endpoints/serve-page.ts";
import { serveEvents, serveHolders, serveLargestTransfers } from "./endpoints/serve-records.ts";
import { serveScreener } from "./endpoints/serve-screener.ts";
import { serveSeries } from "./endpoints/serve-series.ts";
import { serveTable } from "./endpoints/serve-table.ts";
import { serveUdf } from "./endpoints/serve-udf.ts";
import { Isolate } from "./isolate.ts";
import { asProblem, logRequest, type RequestEntry, requestId, type Sent } from "./observe/log.ts";
import { noteUsage } from "./observe/note-usage.ts";
import { Problem } from "./problems/problem.ts";
import { FILES_PATH } from "./request/file-path.ts";
import { onlyRead } from "./request/method.ts";
import { validateBefore, validateMaxAge } from "./request/parameters/page-parameters.ts";
import { unknownPath } from "./request/route.ts";
import { validateNone, validateNoneOfV3 } from "./request/validate.ts";
import { preflight } from "./respond/preflight.ts";
import { problem, redirect, withoutBody } from "./respond/respond.ts";

/** What a service depends on besides its bindings. */
export interface Dependencies extends Pick<Context, "edge" | "now"> {
  /** Empty if left out. */
  isolate?: Isolate;
}

export type Service = (request: Request, bindings: Bindings, waitUntil: Context["waitUntil"]) => Promise<Response>;

/** Answers the requests of one route; `params` are the parts of the path that its pattern names. */
type Handler = (params: Record<string, string>, request: Request, context: Context) => Promise<Response>;

/** By the patterns of their paths. The first that fits answers: those of v3 come before `/:version/…`. */
export const ROUTES: Record<string, Handler> = {
  "/": counted((_, request, context) => serveExplorer(request, context)),
  "/boards/:name": counted((_, request, context) => serveBoard(request, context)),
  "/holders/:address": counted((_, request, context) => serveAddressPage(request, context)),
  "/v3/series": (_, request, context) => serveTable(request, context),
  "/v3/screener": (_, request, context) => serveScreener(request, context),
  "/v3/duckdb.sql": (_, request, context) => serveDuckdb(request, context),
  "/v3/distributions/:name": serveDistribution,
  "/v3/holders": serveHolders,
  "/v3/holders/:address": serveAddress,
  "/v3/transfers/largest": serveLargestTransfers,
  "/mcp": (_, request, context) => serveMcp(request, context),
  "/udf/:call": serveUdf,
  [`${FILES_PATH}:asset`]: serveFileList,
  [`${FILES_PATH}:asset/:resolution/:metric/:file`]: serveFile,
  "/v3/assets/:asset/changes": ({ asset }, request, context) =>
    servePage(changesPage(asset!), validateBefore, request, context),
  "/v3/assets/:asset/events": serveEvents,
  [HEALTH_PATH]: (_, request, context) => servePage(healthPage, validateMaxAge, request, context),
  ...pageRoutes(V3_PAGES, validateNoneOfV3),
  "/:version/metrics/:metric": serveSeries,
  ...pageRoutes(PAGES, validateNone),
  "*": counted(staticPage),
};

/** Counts requests for what is no part of the API. */
function counted(handle: Handler): Handler {
  return async (params, request, context) => {
    await admitAny(request, context);
    return handle(params, request, context);
  };
}

function pageRoutes(pages: typeof PAGES, validate: typeof validateNone): Record<string, Handler> {
  return Object.fromEntries(
    Object.entries(pages).map(([path, find]): [string, Handler] => [
      path,
      async (params, request, context) => servePage(find(params), validate, request, context),
    ]),
  );
}

/** @throws {Problem} 404 no path fits; 405 */
async function staticPage(_: Record<string, string>, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const path = STATIC_PAGES.get(pathname);
  if (path === undefined) throw unknownPath(pathname, pagePaths());
  onlyRead(request);
  return redirect(path);
}

/** A service with the caches of one isolate. */
export function createService({ edge, now, isolate = new Isolate() }: Dependencies): Service {
  const router = Router<IRequest, [Request, Context], Response>();
  for (const [pattern, handle] of Object.entries(ROUTES)) {
    router.all(pattern, ({ params }, request, context) => handle(params, request, context));
  }
  return async (request, bindings, waitUntil) => {
    const start = now();
    const entry: RequestEntry = { id: requestId(request.headers) };
    const response = await answer(request, bindings, waitUntil, entry);
    response.headers.set("X-Request-Id", entry.id);
    if (entry.renamed) response.headers.set("X-Soprano-Renamed", [...entry.renamed].join(", "));
    protect(response, request.url);
    const log = (sent?: Sent) => {
      logRequest(entry, request, response.status, sent, now() - start);
      noteUsage(entry, response.status, sent, bindings.USAGE);
    };
    if (request.method === "HEAD") log();
    else if (entry.sent instanceof Promise) void entry.sent.then(log);
    else log(entry.sent);
    return response;
  };

  async function answer(
    request: Request,
    bindings: Bindings,
    waitUntil: Context["waitUntil"],
    entry: RequestEntry,
  ): Promise<Response> {
    const url = URL.parse(request.url);
    if (request.method === "OPTIONS") return preflight(url?.pathname ?? "");
    if (url === null) {
      return failure(new Problem("malformed-url", "The request's host or path is not that of a URL."), entry);
    }
    // The router gets no query: it would parse it in quadratic time, before any key is checked.
    const routed: { method: string; url: string; route?: string } = {
      method: request.method,
      url: url.origin + url.pathname,
    };
    const context = { bindings, isolate, entry, origin: url.origin, edge, now, waitUntil };
    const response = await router
      .fetch(routed, request, context)
      .catch((error: unknown) => countRefusal(error, request, context))
      .catch((error: unknown) => refused(error, request, context));
    if (routed.route !== undefined) entry.route = routed.route;
    return request.method === "HEAD" ? withoutBody(response) : response;
  }
}

/** What is refused before anything has counted it, such as an unknown metric, counts as well. */
async function countRefusal(error: unknown, request: Request, context: Context): Promise<never> {
  if (!context.entry.isCounted) await admitAny(request, context);
  throw error;
}

/** A failure's answer: a problem document or, of a path that names nothing, a page for browsers. */
async function refused(error: unknown, request: Request, context: Context): Promise<Response> {
  const document = failure(error, context.entry);
  const isUnknown = error instanceof Problem && error.type === "unknown-path";
  return (isUnknown && (await serveNotFound(request, context))) || document;
}

/** Every failure becomes a problem document. */
function failure(error: unknown, entry: RequestEntry): Response {
  return problem(asProblem(error, entry));
}

/** A year. Subdomains are not Soprano's. Source: RFC 6797. */
const TRANSPORT = "max-age=31536000";

/**
 * Asks browsers to come by HTTPS only, where they have come by it; and lets no shared cache keep an answer whose address
 * holds a key, not even one that anyone may read: it would keep the address, too.
 */
function protect({ headers }: Response, address: string): void {
  const url = URL.parse(address);
  if (url === null) return;
  if (url.protocol === "https:") headers.set("Strict-Transport-Security", TRANSPORT);
  const ofClient = privately(headers.get("Cache-Control"));
  if (ofClient !== null && holdsKey(url)) headers.set("Cache-Control", ofClient);
}

/** Also one under another name: it may be misplaced. */
const holdsKey = ({ searchParams }: URL): boolean =>
  [...searchParams].some(([name, value]) => name === "api_key" || API_KEY_PATTERN.test(value));
