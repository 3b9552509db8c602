/** The pipeline: route → authenticate → limit → validate → locate → read → format → respond. */

import { type IRequest, Router } from "itty-router";
import type { Manifest } from "../data-schema/manifest.ts";
import { Lease } from "./budget.ts";
import { changesPage, PAGES, pagePaths, STATIC_PAGES, V3_PAGES } from "./catalog/pages.ts";
import type { Bindings, Context } from "./context.ts";
import { type Body, body, pieceBody } from "./format/body.ts";
import { fileListText } from "./format/file-list.ts";
import { gzip } from "./format/gzip.ts";
import { LAYOUTS, type Layout } from "./format/layouts.ts";
import { TABLE_LAYOUTS, type TableLayout } from "./format/table-layouts.ts";
import { type Document, Isolate } from "./isolate.ts";
import { withBuild } from "./locate/builds.ts";
import { withManifest, withManifests } from "./locate/locate.ts";
import { missingFile } from "./locate/missing-file.ts";
import { asProblem, logRequest, type RequestEntry, requestId, type Sent } from "./observe/log.ts";
import { Timing } from "./observe/timing.ts";
import { noteUsage } from "./observe/usage.ts";
import { Problem } from "./problems/problem.ts";
import { readFile } from "./read/file.ts";
import { mostPoints } from "./read/objects.ts";
import { readSeries } from "./read/series.ts";
import { tableOf, tablePoints } from "./read/table.ts";
import { authenticate } from "./request/authenticate.ts";
import { byteRange, excludes } from "./request/byte-range.ts";
import { FILES_PATH, type FilePath, filePath } from "./request/file-path.ts";
import { limitAddress, limitKey } from "./request/limit.ts";
import { refuseForeignPages } from "./request/origin.ts";
import { validateBefore } from "./request/page-parameters.ts";
import { route, unknownPath } from "./request/route.ts";
import { validateTable } from "./request/table-query.ts";
import { upperCase, validate, validateNone } from "./request/validate.ts";
import { prefersGzip } from "./respond/coding.ts";
import { fileAnswer, fileNotModified, fileTag } from "./respond/file.ts";
import { findKept, keeping } from "./respond/kept.ts";
import * as respond from "./respond/respond.ts";
import { tableBody } from "./table/body.ts";

/** What a service depends on besides its bindings. */
export interface Dependencies extends Pick<Context, "edge" | "now"> {
  /** Empty if left out. */
  isolate?: Isolate;
}

const MCP_PATHS = ["/mcp", "/mcp/"];

export type Service = (request: Request, bindings: Bindings, waitUntil: Context["waitUntil"]) => Promise<Response>;

/** A service with the caches of one isolate. */
export function createService({ edge, now, isolate = new Isolate() }: Dependencies): Service {
  const router = Router<IRequest, [Request, Context], Response>();
  router.all("/v3/series", (_, request, context) => table(request, context));
  router.all("/mcp", (_, request, context) => mcp(request, context));
  router.all(`${FILES_PATH}:asset`, ({ params }, request, context) => fileList(params.asset!, request, context));
  router.all(`${FILES_PATH}:asset/:resolution/:metric/:file`, ({ params }, request, context) =>
    file(params.asset!, filePath(params.resolution!, params.metric!, params.file!), request, context),
  );
  // Before the patterns of the other versions, which would take them.
  router.all("/v3/assets/:asset/changes", ({ params }, request, context) =>
    publicPage(changesPage(params.asset!), validateBefore, request, context),
  );
  for (const [path, page] of Object.entries(V3_PAGES)) {
    router.all(path, ({ params }, request, context) => publicPage(page(params), validateNone, request, context));
  }
  router.all("/:version/metrics/:metric", ({ params }, request, context) =>
    series(request, params.version!, params.metric!, context),
  );
  for (const [path, page] of Object.entries(PAGES)) {
    router.all(path, ({ params }, request, context) => publicPage(page(params), validateNone, request, context));
  }
  router.all("*", ({ url }, request) => {
    const { pathname } = new URL(url);
    const page = STATIC_PAGES.get(pathname);
    if (page === undefined) throw unknownPath(pathname, pagePaths());
    onlyRead(request);
    return respond.redirect(page);
  });
  return async (request, bindings, waitUntil) => {
    const start = now();
    const entry: RequestEntry = { id: requestId(request.headers) };
    const response = await answer(request, bindings, waitUntil, entry);
    response.headers.set("X-Request-Id", entry.id);
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
    if (request.method === "OPTIONS") return respond.preflight(kindOf(url?.pathname ?? ""));
    if (url === null) {
      return failure(new Problem("malformed-url", "The request's host or path is not that of a URL."), entry);
    }
    // The router gets no query: it would parse it in quadratic time, before any key is checked.
    const routed: { method: string; url: string; route?: string } = {
      method: request.method,
      url: url.origin + url.pathname,
    };
    const context = { bindings, isolate, entry, origin: url.origin, edge, now, waitUntil };
    const response = await router.fetch(routed, request, context).catch((error: unknown) => failure(error, entry));
    if (routed.route !== undefined) entry.route = routed.route;
    return request.method === "HEAD" ? respond.withoutBody(response) : response;
  }
}

/** Authenticates and limits: the steps of every request for series. */
async function admit(request: Request, context: Context) {
  const timing = new Timing(context.now);
  const parameters = new URL(request.url).searchParams;
  const key = await authenticate(request, parameters, context);
  context.entry.key = key.id;
  const limits = await limitKey(key, request, context);
  timing.step("key");
  return { key, parameters, limits, timing };
}

async function series(request: Request, version: string, name: string, context: Context): Promise<Response> {
  const endpoint = route(version, name);
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = validate(endpoint, parameters);
  entry.metric = query.metric;
  entry.resolution = query.resolution;
  entry.format = query.format;
  return withManifest(query.symbol, context, async (manifest) => {
    entry.asset = manifest.symbol;
    timing.step("manifest");
    const { metric, resolution, since, until } = query;
    const lease = new Lease(context.isolate.budget, context.now);
    const slices = readSeries(query, manifest, { ...context, lease });
    const layout = LAYOUTS[query.format];
    const answer: Answer = {
      tag: respond.entityTag(query, manifest),
      points: mostPoints(manifest, resolution, metric, since, until),
      layout,
      file: respond.seriesFile(query),
      describe: (timings) => respond.describe(endpoint, manifest, layout, { ...limits, "Server-Timing": timings }),
      body: () => body(slices, layout, entry.id, lease),
    };
    return send(answer, request, timing, context);
  });
}

/** Several series on one time line: GET /v3/series. */
async function table(request: Request, context: Context): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  const query = validateTable(parameters);
  entry.resolution = query.resolution;
  entry.format = query.format;
  const respondFrom = async (manifests: readonly Manifest[]) => {
    entry.asset = query.symbols.join(",");
    timing.step("manifest");
    const wanted = tableOf(query, manifests);
    const layout = TABLE_LAYOUTS[query.format];
    const lease = new Lease(context.isolate.budget, context.now);
    const answer: Answer = {
      tag: await respond.tableTag(wanted, query),
      points: tablePoints(wanted, query.last),
      layout,
      file: respond.tableFile(query, layout),
      describe: (timings) => respond.describeTable(manifests, layout, { ...limits, "Server-Timing": timings }),
      body: () => tableBody(query, wanted, manifests, { ...context, lease }),
    };
    return send(answer, request, timing, context);
  };
  const { symbols, build } = query;
  if (build === null) return withManifests(symbols, context, respondFrom);
  return withBuild(symbols[0]!, build, context, (manifest) => respondFrom([manifest]));
}

/** A series or a table that is about to be sent. */
interface Answer {
  /** Its strong entity tag. */
  tag: string;
  /** Points that it has at most. */
  points: number;
  layout: Layout | TableLayout;
  /** The name under which clients save it; null if they show it. */
  file: string | null;
  /** Headers that a 304 has, too. */
  describe: (timings: string) => Record<string, string>;
  body: () => Promise<Body>;
}

/** A 304, the answer that has been kept, or a new one. */
async function send(answer: Answer, request: Request, timing: Timing, context: Context): Promise<Response> {
  const { tag: strong, points, layout, file, describe } = answer;
  const { entry } = context;
  const isCompressible = layout.compressed && prefersGzip(request);
  // Compressed or not, the points are the same: one weak tag serves for both.
  const tag = isCompressible ? `W/${strong}` : strong;
  if (respond.isKnown(request.headers.get("If-None-Match"), strong)) {
    return respond.notModified(tag, describe(timing.header));
  }
  entry.cache = "memory";
  const keepable = { tag: strong, isCompressible, points, pointBytes: layout.pointBytes };
  const kept = await findKept(keepable, context);
  if (kept !== null) {
    entry.sent = kept.sent;
    timing.step("data");
    return respond.series(kept.content, kept.isCompressed, layout, tag, file, describe(timing.header));
  }
  const reading = answer.body();
  // If the client goes away, the reads that have begun still end, and give back what they hold.
  context.waitUntil(reading.catch(() => {}));
  const text = await reading;
  entry.sent = text.sent;
  timing.step("data");
  const compressed = isCompressible ? gzip(text, context.bindings.GZIP_POINTS) : null;
  const isCompressed = compressed !== null;
  const whole = compressed ?? text.content;
  const content = whole instanceof ReadableStream ? keeping(whole, isCompressed, text.sent, keepable, context) : whole;
  const response = respond.series(content, isCompressed, layout, tag, file, describe(timing.header));
  // The answer has the bytes; what V8 still counted would wait for a collection.
  if (content instanceof Uint8Array) content.buffer.transfer(0);
  return response;
}

/** Tools for language models: POST /mcp. */
async function mcp(request: Request, context: Context): Promise<Response> {
  if (request.method !== "POST") {
    const allowed = ["POST", "OPTIONS"];
    const detail = "The Model Context Protocol takes POST here: there are no sessions and no streams of its own.";
    throw new Problem("method-not-allowed", detail, { allowed }, undefined, { Allow: allowed.join(", ") });
  }
  refuseForeignPages(request);
  const { entry } = context;
  const { key, parameters, limits } = await admit(request, context);
  validateNone(parameters);
  const { answerMcp } = await import("./mcp/endpoint.ts");
  const answer = await answerMcp(request, () => limitKey(key, request, context), context);
  entry.sent = answer.sent;
  return respond.message(answer, limits);
}

/** The files of an asset's active build. */
async function fileList(asset: string, request: Request, context: Context): Promise<Response> {
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  validateNone(parameters);
  entry.format = "json";
  return withManifest(upperCase(asset), context, async (manifest) => {
    entry.asset = manifest.symbol;
    timing.step("manifest");
    const lease = new Lease(context.isolate.budget, context.now);
    const answer = {
      ...{ tag: respond.fileListTag(manifest), points: 0, layout: TABLE_LAYOUTS.json, file: null },
      describe: (timings: string) => respond.describeFiles(manifest, { ...limits, "Server-Timing": timings }),
      body: () => pieceBody(fileListText(manifest, context.origin), null, entry.id, lease),
    };
    return send(answer, request, timing, context);
  });
}

/** A file, or a range of it: of any build, as long as it exists. */
async function file(asset: string, wanted: FilePath, request: Request, context: Context): Promise<Response> {
  const symbol = upperCase(asset);
  onlyRead(request);
  const { entry } = context;
  const { parameters, limits, timing } = await admit(request, context);
  validateNone(parameters);
  entry.metric = wanted.metric;
  entry.resolution = wanted.resolution;
  entry.format = "parquet";
  const { headers, method } = request;
  const tag = fileTag(wanted);
  const isExcluded = excludes(headers.get("If-Match"), tag);
  const isKnown = !isExcluded && respond.isKnown(headers.get("If-None-Match"), tag);
  const isWanted = method === "GET" && !isExcluded && !isKnown;
  const range = isWanted ? byteRange(headers, tag) : null;
  const found = await readFile(symbol, wanted, range, isWanted, context);
  if (found === null) return missingFile(symbol, wanted, context);
  entry.asset = symbol;
  timing.step("data");
  if (isExcluded) throw new Problem("precondition-failed", `If-Match names other files than this one, ${tag}.`);
  const others = { ...limits, "Server-Timing": timing.header };
  if (isKnown) return fileNotModified(tag, others);
  return fileAnswer(found, range !== null, symbol, wanted, others, context);
}

/** A page that needs no key; `validate` reads its parameters. */
async function publicPage<Query>(
  write: (context: Context, query: Query) => Promise<Document>,
  validate: (parameters: URLSearchParams) => Query,
  request: Request,
  context: Context,
): Promise<Response> {
  onlyRead(request);
  await limitAddress(request, context);
  const query = validate(new URL(request.url).searchParams);
  return respond.document(await write(context, query), request);
}

/** What is at a path, as far as a preflight is concerned. */
function kindOf(path: string) {
  if (MCP_PATHS.includes(path)) return "mcp";
  return path.startsWith(FILES_PATH) ? "file" : "read";
}

function onlyRead({ method }: Request): void {
  if (method === "GET" || method === "HEAD") return;
  throw new Problem("method-not-allowed", "This API can only be read.", { allowed: ["GET", "HEAD", "OPTIONS"] });
}

/** Every failure becomes a problem document. */
function failure(error: unknown, entry: RequestEntry): Response {
  return respond.problem(asProblem(error, entry));
}
