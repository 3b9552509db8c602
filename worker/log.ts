/** What operators get to see, a line of JSON each. Never a URL or another text of the client's: it may hold a key. */

import type { Sent } from "./format/body.ts";
import type { ProblemType } from "./problems.ts";
import type { Query } from "./validate.ts";

/** Where a series came from, the nearest first. */
const SOURCES = ["memory", "edge", "store"] as const;
export type Source = (typeof SOURCES)[number];

/** What the log says of one request: the steps of the pipeline write into it what they find out. */
export interface RequestEntry {
  id: string;
  /** Pattern of the path. */
  route?: string;
  /** Of the key. */
  key?: string;
  /** Of an asset that there is. */
  asset?: string;
  metric?: Query["metric"];
  resolution?: Query["resolution"];
  format?: Query["format"];
  /** The farthest place from which a part of the series came. */
  cache?: Source;
  problem?: ProblemType;
  /** What was sent; of a stream, once it has ended. */
  sent?: Sent | Promise<Sent>;
}

/** Notes that a part of the series came from there. */
export function noteSource(entry: RequestEntry, source: Source): void {
  if (SOURCES.indexOf(source) > SOURCES.indexOf(entry.cache ?? "memory")) entry.cache = source;
}

/** The id of a request: Cloudflare's, which its own logs have too, or one made up. */
export function requestId(headers: Headers): string {
  const ray = headers.get("CF-Ray");
  if (ray !== null && /^[0-9a-f]{16}(-[A-Z]{3})?$/.test(ray)) return ray;
  return crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}

/** Logs an answered request. */
export function logRequest(entry: RequestEntry, request: Request, status: number, sent: Sent | undefined, ms: number) {
  const { id, route, key, asset, metric, resolution, format, cache, problem } = entry;
  // workerd knows a fixed set of methods and refuses every other.
  const { method } = request;
  const facts = { route, status, problem, asset, metric, resolution, format, ...sent, cache, ms, key };
  console.log(JSON.stringify({ event: "request", id, method, ...facts }));
}

/** Logs a failure of ours: its kind, then its causes from the outermost in. */
export function logFailure(kind: string, failure: unknown, id?: string): void {
  const cause = causes(failure).join(": ").replaceAll(/\s+/g, " ");
  console.error(JSON.stringify({ event: "failure", id, kind, cause }));
}

function causes(failure: unknown): string[] {
  if (failure instanceof Error) return [failure.message, ...causes(failure.cause)];
  return failure === undefined ? [] : [String(failure)];
}
