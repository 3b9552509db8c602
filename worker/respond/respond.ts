/** Answers and their headers. Source: docs/api.md#responses. */

import type { Manifest } from "../../data-schema/stored.ts";
import { textDigest } from "../../data-schema/text.ts";
import type { Body } from "../format/body.ts";
import type { Document } from "../isolate.ts";
import { CHECK_SECONDS } from "../locate/check.ts";
import type { Problem } from "../problems/problem.ts";
import { PROBLEMS, problemPath } from "../problems/problems.ts";
import { hasFormulas } from "../read/derive.ts";
import type { Distribution } from "../read/distribution.ts";
import type { Table } from "../read/table-parts.ts";
import type { DistributionQuery } from "../request/distribution-query.ts";
import { type FormatFacts, TABLE_FORMATS } from "../request/parameters/table-formats.ts";
import type { TableQuery } from "../request/table-query.ts";
import type { Query } from "../request/validate.ts";

/** Version of the answers: raise it if the same query on the same build gives another text. */
const REPRESENTATION = 1;

/** Version of the answers that are tables. 2: the schema of Arrow has metadata. */
const TABLE_REPRESENTATION = 2;
/** Changes when a formula may give other values of the same series. */
const FORMULA_REPRESENTATION = 1;

/** Headers that pages of other origins may read. */
export const EXPOSED =
  "ETag, Retry-After, Link, RateLimit-Policy, Content-Disposition, X-Soprano-As-Of, X-Soprano-Build, X-Request-Id, Server-Timing";

/** On every answer. Any origin may read, since there are no cookies or other ambient credentials. */
export const COMMON = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED,
  "X-Content-Type-Options": "nosniff",
};

/** On every series: only the client may cache it, and must revalidate it each time. */
const REVALIDATED = { "Cache-Control": "private, no-cache" };

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

/**
 * The strong entity tag of a table: a digest of everything that the text depends on, since the names of many series would
 * be longer than a header may be.
 *
 * @param manifests of all its assets: answers name their builds, also of assets without a column
 */
export async function tableTag(
  { resolution, columns, outputs, since, until, sinceBlock, untilBlock, replacements }: Table,
  { last, time, format }: TableQuery,
  manifests: readonly Manifest[],
): Promise<string> {
  const builds = manifests.map(({ symbol, build, asOf }) => [symbol, build, asOf]);
  const series = columns.map(({ manifest, metric, selector }) => [manifest.symbol, metric.name, selector]);
  const bounds = [since, until, sinceBlock, untilBlock].map((bound) => (Number.isFinite(bound) ? bound : ""));
  const parts = [TABLE_REPRESENTATION, builds, series, resolution, bounds, last, time, format];
  // Without formulas, the columns are what is shown.
  const shown = hasFormulas({ outputs })
    ? [
        FORMULA_REPRESENTATION,
        outputs.map((one) => (one.formula === null ? one.column : [one.asset, one.name, one.text])),
      ]
    : [];
  const text = JSON.stringify([...parts, ...shown, ...(replacements ? [{ known: replacements.tag }] : [])]);
  return `"${(await textDigest(text)).slice(0, 32)}"`;
}

/** The strong entity tag of a distribution. */
export async function distributionTag(
  { manifest, name, selector, resolution, t }: Distribution,
  { time, format }: DistributionQuery,
): Promise<string> {
  const { symbol, build } = manifest;
  const parts = [REPRESENTATION, symbol, build, name, selector, resolution, t.at(0), t.at(-1), time, format];
  return `"${(await textDigest(JSON.stringify(parts))).slice(0, 32)}"`;
}

/** The strong entity tag of the list of files: a build has the same files for ever, at addresses of the host that was asked. */
export function fileListTag({ symbol, build }: Manifest, origin: string): string {
  return `"${[REPRESENTATION, "files", symbol, build, origin].join(":")}"`;
}

/** 304, with the headers of the 200 that RFC 9110 §15.4.5 requires. */
export function notModified(tag: string, description: Record<string, string>): Response {
  return new Response(null, { status: 304, headers: { ...COMMON, ...REVALIDATED, ...description, ETag: tag } });
}

/** The name of a file with a series; null if clients show it. */
export function seriesFile({ symbol, metric, selector, resolution, format }: Query): string | null {
  return format === "csv" ? fileName([symbol, metric, selector, resolution], format) : null;
}

/** The name of a file with a table; null if clients show it. */
export function tableFile({ symbols, measures, formulas, resolution, format }: TableQuery): string | null {
  const { extension } = TABLE_FORMATS[format];
  if (extension === null) return null;
  const only = (names: readonly string[]) => (names.length === 1 ? names : []);
  return fileName(
    [
      ...only(symbols),
      ...only([...measures.map(({ measure }) => measure.name), ...formulas.map(({ name }) => name)]),
      "series",
      resolution,
    ],
    extension,
  );
}

/** The name of a file with a distribution; null if clients show it. */
export function distributionFile({ symbol, name, selector, resolution, format }: DistributionQuery): string | null {
  const { extension } = TABLE_FORMATS[format];
  return extension === null ? null : fileName([symbol, name, selector, resolution], extension);
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
  const headers = new Headers({ ...COMMON, ...others, "Cache-Control": "no-store" });
  if (mediaType !== null) headers.set("Content-Type", mediaType);
  return new Response(body, { status, headers });
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

/** An answer without its body. */
export async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, response);
}
