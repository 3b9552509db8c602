/** What operators see, a line of JSON each. Never a URL or another text of the client's: it may hold a key. */

import type { Resolution } from "../../data-schema/registry.ts";
import type { SeriesOf } from "../../data-schema/stored.ts";
import { internalError, Problem } from "../problems/problem.ts";

/** Where a series came from, the nearest first. */
const SOURCES = ["memory", "edge", "store"] as const;
export type Source = (typeof SOURCES)[number];

/** What was sent; `cut` tells who ended it early. Of a file that was cut, nobody counts the bytes: 0. */
export interface Sent {
  points: number;
  bytes: number;
  cut?: "failure" | "client" | "slow";
}

/** What the log says of one request. The steps of the pipeline write into it what they find out. */
export interface RequestEntry {
  id: string;
  /** Pattern of the path. */
  route?: string;
  /** Id of the key. */
  key?: string;
  /** Whether a limit counts the request; not logged. */
  isCounted?: true;
  /** The client whose share of the isolate's memory the request uses; not logged. */
  owner?: string;
  /** Only of an asset that exists. */
  asset?: string;
  /** Assets that the request names by a former symbol, such as `DOG=DOGE`; not logged. */
  renamed?: Set<string>;
  metric?: SeriesOf;
  /** The tool that POST /mcp has called. */
  tool?: string;
  resolution?: Resolution;
  format?: string;
  /** The farthest place from which a part of the series came. */
  cache?: Source;
  /** Type of the problem. */
  problem?: string;
  /** What was sent of a stream, once it has ended. */
  sent?: Sent | Promise<Sent>;
}

/** Notes that a part of the series came from a source. */
export function noteSource(entry: RequestEntry, source: Source): void {
  if (SOURCES.indexOf(source) > SOURCES.indexOf(entry.cache ?? "memory")) entry.cache = source;
}

/** Notes that the request names an asset by a symbol that it had before. */
export function noteRenamed(entry: RequestEntry, former: string, symbol: string): void {
  entry.renamed ??= new Set();
  entry.renamed.add(`${former}=${symbol}`);
}

/** The id of a request: Cloudflare's, which is in its own logs too, or a random one. */
export function requestId(headers: Headers): string {
  const ray = headers.get("CF-Ray");
  if (ray !== null && /^[0-9a-f]{16}(-[A-Z]{3})?$/.test(ray)) return ray;
  return crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}

/** Logs an answered request. */
export function logRequest(entry: RequestEntry, request: Request, status: number, sent: Sent | undefined, ms: number) {
  const { id, route, key, asset, metric, tool, resolution, format, cache, problem } = entry;
  // Safe to log: workerd accepts only a fixed set of methods.
  const { method } = request;
  const facts = { route, status, problem, asset, metric, tool, resolution, format, ...sent, cache, ms, key };
  console.log(JSON.stringify({ event: "request", id, method, ...facts }));
}

/** Logs a failure on our side: its kind, then its causes from the outermost in. */
export function logFailure(kind: string, failure: unknown, id?: string): void {
  const cause = causes(failure).join(": ").replaceAll(/\s+/g, " ");
  console.error(JSON.stringify({ event: "failure", id, kind, cause }));
}

/** A failure as the problem that the client sees. One on our side is also logged, without the URL, which may hold a key. */
export function asProblem(error: unknown, entry: RequestEntry): Problem {
  const problem = error instanceof Problem ? error : internalError(error);
  entry.problem = problem.type;
  // Too many requests at once are no fault of ours.
  if (problem.status >= 500 && problem.type !== "overloaded") logFailure(problem.type, problem.cause, entry.id);
  return problem;
}

function causes(failure: unknown): string[] {
  if (failure instanceof Error) return [failure.message, ...causes(failure.cause)];
  return failure === undefined ? [] : [String(failure)];
}
