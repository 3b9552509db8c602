/**
 * Every error that a client can see, as problem documents (RFC 9457). An error is an entry in this table; the step that
 * finds it adds the detail. Source: docs/api.md#errors.
 */

import { LIMIT_SECONDS } from "../../data-schema/access.ts";

type Where = "every" | "stored" | "keyed" | "table" | "distribution" | "file" | "none";

/** What all problems of a type have in common. */
interface Entry {
  status: number;
  title: string;
  /** What it means and what to do about it. */
  meaning: string;
  /**
   * Which paths of the API may answer with it: every path, or those that read the store, or need a key. `none`: it
   * answers a path or method that the API does not have, or POST /mcp, which is no operation of the OpenAPI document.
   * `table`: several series at once; `distribution`: a distribution; `file`: a stored file. Only series, if it is left out.
   */
  on?: Where | readonly Where[];
  headers?: Record<string, string>;
  /** Headers whose value depends on the case. */
  ownHeaders?: readonly string[];
}

// RFC 9110 §15.5.2 asks for a challenge with every 401, RFC 6750 §3.1 for an error code if a token was sent.
const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="soprano"' };
const INVALID_TOKEN = { "WWW-Authenticate": 'Bearer realm="soprano", error="invalid_token"' };
const RETRY = { "Retry-After": "5" };

const TABLE = {
  "unknown-path": {
    status: 404,
    title: "Unknown path",
    meaning: "This is not a path of the API; `suggestion` is the nearest that is. /openapi.json lists all of them.",
    on: "none",
  },
  "unknown-version": {
    status: 404,
    title: "Unknown version",
    meaning: "Metrics have their paths in v1 and v2. Version 3 answers them at /v3/series.",
    on: "none",
  },
  "unknown-metric": {
    status: 404,
    title: "Unknown metric",
    meaning:
      "The version has no such metric. `suggestion` is the nearest name, or the metric's path in the other version. /v1/metrics lists those of v1, /v3/metrics all there are.",
    on: "none",
  },
  "unknown-distribution": {
    status: 404,
    title: "Unknown distribution",
    meaning: "There is no distribution of this name; `allowed` lists those there are, as does /v3/distributions.",
    on: "none",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    meaning: "The API can only be read: GET, HEAD, OPTIONS. Only /mcp takes POST.",
    on: "none",
    headers: { Allow: "GET, HEAD, OPTIONS" },
  },
  "foreign-origin": {
    status: 403,
    title: "Page of another origin",
    meaning:
      "A server on this machine answers /mcp only to pages of this machine: the header Origin names another one.",
    on: "none",
  },
  "body-too-long": {
    status: 413,
    title: "Body too long",
    meaning: "A message to /mcp is longer than any that the tools take.",
    on: "none",
  },
  "conflicting-keys": {
    status: 400,
    title: "Different API keys given",
    meaning: "The request gives more than one API key. Give one, in one place.",
    on: "keyed",
  },
  "missing-key": {
    status: 401,
    title: "API key missing",
    meaning: "Series and files need an API key: the parameter api_key, the header X-Api-Key, or Authorization: Bearer.",
    on: "keyed",
    headers: CHALLENGE,
  },
  "malformed-key": {
    status: 401,
    title: "API key malformed",
    meaning: "An API key is a UUID: 8-4-4-4-12 hexadecimal digits. Something was cut off, or it is another secret.",
    on: "keyed",
    headers: INVALID_TOKEN,
  },
  "unknown-key": {
    status: 401,
    title: "API key unknown",
    meaning: "There is no such key. Look for a typing error, or ask who gave you the key.",
    on: "keyed",
    headers: INVALID_TOKEN,
  },
  "revoked-key": {
    status: 403,
    title: "API key revoked",
    meaning: "The key has been revoked. Ask who gave it to you for a new one.",
    on: "keyed",
  },
  "expired-key": {
    status: 403,
    title: "API key expired",
    meaning: "The key's time is over. Ask who gave it to you for a new one.",
    on: "keyed",
  },
  "too-many-requests": {
    status: 429,
    title: "Too many requests",
    meaning:
      "More requests in a minute than the key's plan, or one address, may send. Wait as long as Retry-After says.",
    on: "every",
    headers: { "Retry-After": String(LIMIT_SECONDS) },
    ownHeaders: ["RateLimit-Policy"],
  },
  "malformed-url": {
    status: 400,
    title: "Malformed URL",
    meaning: "The host or path is not that of a URL.",
    on: "none",
  },
  "unknown-parameter": {
    status: 400,
    title: "Unknown parameter",
    meaning: "The path takes no parameter of this name. Nothing is ignored, so that no typing error goes unnoticed.",
    on: "every",
  },
  "inapplicable-parameter": {
    status: 400,
    title: "Parameter not taken by this metric",
    meaning: "Other metrics take this parameter, this one does not: leave it out.",
  },
  "repeated-parameter": {
    status: 400,
    title: "Parameter given more than once",
    meaning: "Give each parameter once.",
    on: "keyed",
  },
  "empty-parameter": {
    status: 400,
    title: "Parameter empty",
    meaning: "The parameter has no value: leave it out or give it one.",
  },
  "missing-parameter": {
    status: 400,
    title: "Parameter missing",
    meaning: "Name the asset by its symbol in the parameter a; for /v3/series, also the metrics in m.",
  },
  "invalid-parameter": {
    status: 400,
    title: "Parameter value not allowed",
    meaning: "`allowed` lists the values, or forms, that the parameter takes; `suggestion` is the nearest of them.",
  },
  "reversed-range": {
    status: 400,
    title: "Time range reversed",
    meaning: "s (since) is later than u (until).",
  },
  "unavailable-resolution": {
    status: 400,
    title: "Resolution not published for this asset",
    meaning: "The metric has this resolution, but the asset is published without it; `allowed` lists those it has.",
  },
  "unavailable-metric": {
    status: 400,
    title: "Metric not in this build",
    meaning: "The build is older than the metric; `allowed` lists those it has.",
    on: "table",
  },
  "conflicting-parameters": {
    status: 400,
    title: "Parameters exclude each other",
    meaning: "Two parameters exclude each other, or one needs another value of the other. `detail` says which.",
    on: "table",
  },
  "too-many-series": {
    status: 400,
    title: "Too many series",
    meaning: "An answer has a bound on its series, which depends on the resolution. Ask for fewer at once.",
    on: "table",
  },
  "too-many-reads": {
    status: 400,
    title: "Too many reads",
    meaning:
      "The answer would take more reads of the store than one request may make. Ask for fewer series, or for less time.",
    on: "table",
  },
  "too-many-rows": {
    status: 400,
    title: "Too many rows for this format",
    meaning: "Columnar JSON needs all rows at once. `allowed` lists the formats that have no such bound.",
    on: "table",
  },
  "too-many-cells": {
    status: 400,
    title: "Too many cells",
    meaning:
      "A distribution's answer has a bound on its rows times its buckets. Ask for less time, or for weeks or months.",
    on: "distribution",
  },
  "unsupported-asset": {
    status: 404,
    title: "Unsupported asset",
    meaning: "There are no metrics of this asset; `allowed` lists all assets there are.",
    on: "keyed",
  },
  "removed-asset": {
    status: 410,
    title: "Asset removed",
    meaning: "There were metrics of this asset, but the operator has removed it; `allowed` lists all assets there are.",
    on: ["table", "file"],
  },
  "unknown-file": {
    status: 404,
    title: "Unknown file",
    meaning:
      "The asset has no such file, or no longer: files of earlier builds are removed after a while. `suggestion` is its successor, or the nearest name.",
    on: "file",
  },
  "precondition-failed": {
    status: 412,
    title: "Precondition failed",
    meaning: "If-Match names another file than the path does.",
    on: "file",
  },
  "unsatisfiable-range": {
    status: 416,
    title: "Range beyond the end of the file",
    meaning: "The file ends before the first byte that Range asks for. Content-Range tells its length.",
    on: "file",
    ownHeaders: ["Content-Range"],
  },
  "unknown-build": {
    status: 404,
    title: "Unknown build",
    meaning:
      "The asset has never had this build; `allowed` lists the latest that are kept. /v3/assets/<asset>/builds lists all of them.",
    on: "table",
  },
  "collected-build": {
    status: 410,
    title: "Build no longer kept",
    meaning:
      "The asset had this build, but its data has been removed; `suggestion` is the kept build whose as-of is the nearest.",
    on: "table",
  },
  "damaged-data": {
    status: 500,
    title: "Stored data damaged",
    meaning: "Stored data is not what was published. This is our fault; it has been logged.",
    on: "keyed",
  },
  "internal-error": {
    status: 500,
    title: "Internal error",
    meaning: "Something went wrong on our side. It has been logged.",
    on: "every",
  },
  "store-unavailable": {
    status: 503,
    title: "Data store unavailable",
    meaning: "The data cannot be read at the moment. Wait as long as Retry-After says, and try again.",
    on: "stored",
    headers: RETRY,
  },
  overloaded: {
    status: 503,
    title: "Too many answers at once",
    meaning:
      "The answers that are being sent take all the memory there is for them. Wait as long as Retry-After says, and try again.",
    on: "keyed",
    headers: RETRY,
  },
  "keys-unavailable": {
    status: 503,
    title: "Key store unavailable",
    meaning: "API keys cannot be checked at the moment. Wait as long as Retry-After says, and try again.",
    on: "keyed",
    headers: RETRY,
  },
} satisfies Record<string, Entry>;

export type ProblemType = keyof typeof TABLE;

export const PROBLEMS: Readonly<Record<ProblemType, Entry>> = TABLE;

/** All types, in the order in which they are listed. */
export const TYPES = Object.keys(TABLE) as ProblemType[];

/** Where a type is explained; a problem document names its type by this URI. */
export function problemPath(type: ProblemType): string {
  return `/problems/${type}`;
}
