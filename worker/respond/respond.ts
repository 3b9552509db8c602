/** Answers and their headers. Source: docs/api.md#responses. */

import type { Manifest } from "../../data-schema/manifest.ts";
import type { Body } from "../format/body.ts";
import type { Layout } from "../format/layouts.ts";
import type { Document } from "../isolate.ts";
import { CHECK_SECONDS } from "../locate/check.ts";
import type { Problem } from "../problems/problem.ts";
import { PROBLEMS, problemPath } from "../problems/problems.ts";
import { type Endpoint, seriesPath } from "../request/route.ts";
import type { Query } from "../request/validate.ts";

/** Version of the answers: raise it if the same query on the same build gives another text. */
const REPRESENTATION = 1;

/** On every answer. Any origin may read, since there are no cookies or other ambient credentials. */
const COMMON = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "ETag, Retry-After, Link, RateLimit-Policy, Content-Disposition, X-Soprano-As-Of, X-Request-Id, Server-Timing",
  "X-Content-Type-Options": "nosniff",
};

/** On every series: only the client may cache it, and must revalidate it each time. */
const REVALIDATED = { "Cache-Control": "private, no-cache" };

/** The answer to a CORS preflight. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...COMMON,
      "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
      "Access-Control-Allow-Headers": "Authorization, X-Api-Key, If-None-Match",
      "Access-Control-Max-Age": "86400",
    },
  });
}

/** A redirect to another path, without the query: it may hold a key, and a Location ends up in logs. */
export function redirect(path: string): Response {
  return new Response(null, { status: 307, headers: { ...COMMON, Location: path } });
}

/**
 * The strong entity tag of a query's answer: everything that the text depends on, in plain text. The version in the path
 * is left out, since both versions give the same text.
 */
export function entityTag(query: Query, { build }: Manifest): string {
  const { symbol, metric, selector, resolution, since, until, format } = query;
  const bound = (seconds: number) => (Number.isFinite(seconds) ? seconds : "");
  const parts = [REPRESENTATION, symbol, build, metric, selector, resolution, bound(since), bound(until), format];
  return `"${parts.join(":")}"`;
}

/** Whether If-None-Match names the tag, compared weakly (RFC 9110 §13.1.2): the edge weakens the tags of what it compresses. */
export function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false;
}

/** Headers of a series, with its points or without: its description, how recent it is, and those of this request. */
export function describe(
  endpoint: Endpoint,
  { asOf }: Manifest,
  { compressed }: Layout,
  others: Record<string, string>,
) {
  return {
    Link: `<${seriesPath(endpoint)}/meta>; rel="describedby"`,
    "X-Soprano-As-Of": asOf,
    ...(compressed && { Vary: "Accept-Encoding" }),
    ...others,
  };
}

/** 304, with the headers of the 200 that RFC 9110 §15.4.5 requires. */
export function notModified(tag: string, description: Record<string, string>): Response {
  return new Response(null, { status: 304, headers: { ...COMMON, ...REVALIDATED, ...description, ETag: tag } });
}

/** 200 with a series, compressed by gzip if `compressed` is not null. */
export function series(
  body: Body["content"],
  compressed: ReadableStream<Uint8Array> | null,
  layout: Layout,
  tag: string,
  query: Query,
  description: Record<string, string>,
): Response {
  const headers = new Headers({
    ...COMMON,
    ...REVALIDATED,
    ...description,
    "Content-Type": layout.mediaType,
    ETag: tag,
  });
  if (query.format === "csv") {
    const { symbol, metric, selector, resolution } = query;
    // Selectors have characters that file names cannot have.
    const name = [symbol, metric, selector, resolution]
      .join("_")
      .replaceAll("<", "under-")
      .replaceAll(/[^\w.-]/g, "");
    headers.set("Content-Disposition", `attachment; filename="${name}.csv"`);
  }
  if (compressed === null) return new Response(body, { headers });
  headers.set("Content-Encoding", "gzip");
  // Otherwise the runtime would compress it once more.
  return new Response(compressed, { headers, encodeBody: "manual" });
}

/** A public document with its status, or 304 if the client has it. */
export function document({ text, mediaType, maxAge, tag, status = 200 }: Document, request: Request): Response {
  const headers = {
    ...COMMON,
    ...(status === 503 ? { "Retry-After": String(CHECK_SECONDS) } : {}),
    "Cache-Control": maxAge === 0 ? "no-store" : `public, max-age=${maxAge}`,
    ...(tag === null ? {} : { ETag: tag }),
  };
  const known = tag !== null && isKnown(request.headers.get("If-None-Match"), tag);
  if (known) return new Response(null, { status: 304, headers });
  return new Response(text, { status, headers: { ...headers, "Content-Type": mediaType } });
}

/** A problem document (RFC 9457). */
export function problem({ type, message, facts, headers }: Problem): Response {
  const { status, title, headers: ofType } = PROBLEMS[type];
  return new Response(JSON.stringify({ type: problemPath(type), title, status, detail: message, ...facts }), {
    status,
    headers: {
      ...COMMON,
      ...ofType,
      ...headers,
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
    },
  });
}

/** The same answer without its body. */
export async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
