/** Answers and their headers. Source: design "HTTP". */

import type { Manifest } from "../data-schema/manifest.ts";
import type { Body } from "./format/body.ts";
import type { Layout } from "./format/layouts.ts";
import { PROBLEMS, type Problem } from "./problems.ts";
import type { Query } from "./validate.ts";

/** To be raised when the same query on the same build gives another text. */
const REPRESENTATION = 1;

/** On every answer. No cookies, no ambient credentials: any origin may read. */
const COMMON = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Retry-After, Link, RateLimit-Policy, Content-Disposition",
  "X-Content-Type-Options": "nosniff",
};

/** On every answer that depends on the data: kept by the client alone, and asked for again each time. */
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

/**
 * The strong entity tag of a query's answer: everything the text depends on, spelled out. The path's version is not
 * among it, since both versions give the same text.
 */
export function entityTag(query: Query, { build }: Manifest): string {
  const { symbol, metric, selector, resolution, since, until, format } = query;
  const bound = (seconds: number) => (Number.isFinite(seconds) ? seconds : "");
  const parts = [REPRESENTATION, symbol, build, metric, selector, resolution, bound(since), bound(until), format];
  return `"${parts.join(":")}"`;
}

/** Whether If-None-Match names the tag. Compared weakly, as RFC 9110 §13.1.2 says: the edge weakens what it compresses. */
export function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false;
}

/** 304, with the headers of the 200 that RFC 9110 §15.4.5 wants repeated. */
export function notModified(tag: string, limits: Record<string, string>): Response {
  return new Response(null, { status: 304, headers: { ...COMMON, ...REVALIDATED, ...limits, ETag: tag } });
}

/** 200 with a series. */
export function series(
  body: Body,
  layout: Layout,
  tag: string,
  query: Query,
  limits: Record<string, string>,
): Response {
  const headers = new Headers({ ...COMMON, ...REVALIDATED, ...limits, "Content-Type": layout.mediaType, ETag: tag });
  if (query.format === "csv") {
    const { symbol, metric, selector, resolution } = query;
    // Selectors hold characters that file names must not.
    const name = [symbol, metric, selector, resolution]
      .join("_")
      .replaceAll("<", "under-")
      .replaceAll(/[^\w.-]/g, "");
    headers.set("Content-Disposition", `attachment; filename="${name}.csv"`);
  }
  return new Response(body, { headers });
}

/** A problem document, RFC 9457. */
export function problem({ type, message, facts, headers }: Problem): Response {
  const { status, title, ...entry } = PROBLEMS[type];
  return new Response(JSON.stringify({ type: `/problems/${type}`, title, status, detail: message, ...facts }), {
    status,
    headers: {
      ...COMMON,
      ...("headers" in entry ? entry.headers : {}),
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
