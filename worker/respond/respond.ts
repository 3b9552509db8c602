/** Answers and their headers. Source: docs/api.md#responses. */

import type { Manifest } from "../../data-schema/stored.ts";
import { CACHE_CONTROL } from "../cache-control.ts";
import type { Body } from "../format/body.ts";
import type { Document } from "../isolate.ts";
import { CHECK_SECONDS } from "../locate/check.ts";
import type { Problem } from "../problems/problem.ts";
import { PROBLEMS, problemPath } from "../problems/problems.ts";
import type { FormatFacts } from "../request/parameters/table-formats.ts";
import { isKnown } from "./etag.ts";

/** Headers that pages of other origins may read. */
export const EXPOSED =
  "ETag, Retry-After, Link, RateLimit-Policy, Content-Disposition, X-Soprano-As-Of, X-Soprano-Build, X-Soprano-Renamed, X-Request-Id, Server-Timing";

/** On every answer. Any origin may read, since there are no cookies or other ambient credentials. */
export const COMMON = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED,
  "X-Content-Type-Options": "nosniff",
};

/** On every series. */
const REVALIDATED = { "Cache-Control": CACHE_CONTROL.revalidated };

/** A redirect to another path, without the query: it may hold a key, and a Location ends up in logs. */
export function redirect(path: string): Response {
  return new Response(null, { status: 307, headers: { ...COMMON, Location: path } });
}

/**
 * Headers of an answer, with its points or without: how recent its oldest asset is, its builds in the order of the
 * request's assets, and those of this request.
 *
 * @param describedBy the path of what describes its metrics; null if it has none
 */
export function describe(
  manifests: readonly Manifest[],
  describedBy: string | null,
  { compressed }: FormatFacts,
  others: Record<string, string>,
) {
  const [oldest] = manifests.map(({ asOf }) => asOf).toSorted((a, b) => Date.parse(a) - Date.parse(b));
  return {
    ...(describedBy !== null && { Link: `<${describedBy}>; rel="describedby"` }),
    "X-Soprano-As-Of": oldest!,
    "X-Soprano-Build": manifests.map(({ build }) => build).join(", "),
    ...(compressed && { Vary: "Accept-Encoding" }),
    ...others,
  };
}

/** 304, with the headers of the 200 that RFC 9110 §15.4.5 requires. */
export function notModified(tag: string, description: Record<string, string>): Response {
  return new Response(null, { status: 304, headers: { ...COMMON, ...REVALIDATED, ...description, ETag: tag } });
}

/** The name under which clients save an answer, after what it is of; null if they show it. */
export function savedAs(parts: readonly string[], { extension }: FormatFacts): string | null {
  return extension === null ? null : fileName(parts, extension);
}

/** A name for a file on the client's machine. */
export function fileName(parts: readonly string[], extension: string): string {
  // Selectors have characters that file names cannot have.
  const name = parts
    .join("_")
    .replaceAll("<", "under-")
    .replaceAll(/[^\w.-]/g, "");
  return `${name}.${extension}`;
}

/** 200 with series; `file` is the name under which clients save it. */
export function seriesResponse(
  body: Body["content"],
  isCompressed: boolean,
  { mediaType }: FormatFacts,
  tag: string,
  file: string | null,
  description: Record<string, string>,
): Response {
  const headers = new Headers({
    ...COMMON,
    ...REVALIDATED,
    ...description,
    "Content-Type": mediaType,
    ETag: tag,
  });
  if (file !== null) headers.set("Content-Disposition", `attachment; filename="${file}"`);
  if (!isCompressed) return new Response(body, { headers });
  headers.set("Content-Encoding", "gzip");
  // Otherwise the runtime would compress it once more.
  return new Response(body, { headers, encodeBody: "manual" });
}

/** A message of the Model Context Protocol. */
export function message(
  { status, mediaType, body }: { status: number; mediaType: string | null; body: Uint8Array | null },
  others: Record<string, string>,
): Response {
  const headers = new Headers({ ...COMMON, ...others, "Cache-Control": CACHE_CONTROL.never });
  if (mediaType !== null) headers.set("Content-Type", mediaType);
  return new Response(body, { status, headers });
}

/** A public document with its status, or 304 if the client has it. */
export function document(
  { text, mediaType, maxAge, tag, status = 200, location }: Document,
  request: Request,
): Response {
  const headers = {
    ...COMMON,
    ...(status === 503 ? { "Retry-After": String(CHECK_SECONDS) } : {}),
    "Cache-Control": CACHE_CONTROL.publicFor(maxAge),
    ...(location === undefined ? {} : { Location: location }),
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
      "Cache-Control": CACHE_CONTROL.never,
    },
  });
}

/** An answer without its body. */
export async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
