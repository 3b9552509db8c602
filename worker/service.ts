/** The pipeline: route → authenticate → limit → validate → locate → read → format → respond. */

import { type IRequest, Router } from "itty-router";
import { authenticate } from "./authenticate.ts";
import { type Bindings, type Context, Isolate } from "./context.ts";
import { body } from "./format/body.ts";
import { LAYOUTS } from "./format/layouts.ts";
import { limitKey } from "./limit.ts";
import { locate } from "./locate.ts";
import { logFailure } from "./log.ts";
import { Problem } from "./problems.ts";
import { readSeries } from "./read/series.ts";
import * as respond from "./respond.ts";
import { route, unknownPath } from "./route.ts";
import { validate } from "./validate.ts";

/** What a service takes from the outside besides its bindings. */
export interface Surroundings {
  edge: Cache | null;
  now: () => number;
  /** What the service remembers between requests; empty when left out. */
  isolate?: Isolate;
}

export type Service = (request: Request, bindings: Bindings, waitUntil: Context["waitUntil"]) => Promise<Response>;

/** A service with the memory of one isolate. */
export function createService({ edge, now, isolate = new Isolate() }: Surroundings): Service {
  const router = Router<IRequest, [Request, Context], Response>({ catch: failure });
  router
    .all("/:version/metrics/:metric", ({ params }, request, context) =>
      metric(request, params.version!, params.metric!, context),
    )
    .all("*", ({ url }) => {
      throw unknownPath(new URL(url).pathname);
    });
  return async (request, bindings, waitUntil) => {
    if (request.method === "OPTIONS") return respond.preflight();
    const url = URL.parse(request.url);
    if (url === null) return failure(new Problem("malformed-url", "The request's host or path is not that of a URL."));
    // The router sees no query: it would take it apart in time that grows with the square of its length, key or no key.
    const routed = { method: request.method, url: url.origin + url.pathname };
    const context = { bindings, isolate, origin: url.origin, edge, now, waitUntil };
    const response = await router.fetch(routed, request, context);
    return request.method === "HEAD" ? respond.withoutBody(response) : response;
  };
}

async function metric(request: Request, version: string, name: string, context: Context): Promise<Response> {
  const endpoint = route(version, name);
  if (request.method !== "GET" && request.method !== "HEAD") {
    throw new Problem("method-not-allowed", "Metrics can only be read.", { allowed: ["GET", "HEAD", "OPTIONS"] });
  }
  const parameters = new URL(request.url).searchParams;
  const key = await authenticate(request, parameters, context);
  const limits = await limitKey(key, context);
  const query = validate(endpoint, parameters);
  const manifest = await locate(query.symbol, context);
  const slices = readSeries(query, manifest, context);
  const tag = respond.entityTag(query, manifest);
  if (respond.isKnown(request.headers.get("If-None-Match"), tag)) return respond.notModified(tag, limits);
  const layout = LAYOUTS[query.format];
  return respond.series(await body(slices, layout), layout, tag, query, limits);
}

/** Every failure becomes a problem document; ours are logged too, without the request, whose URL holds a key. */
function failure(error: unknown): Response {
  const problem =
    error instanceof Problem
      ? error
      : new Problem("internal-error", "Something went wrong on our side. It has been logged.", {}, error);
  if (problem.status >= 500) logFailure(problem.type, problem.cause);
  return respond.problem(problem);
}
