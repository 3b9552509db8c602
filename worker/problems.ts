/**
 * Every error a client can see, as problem documents (RFC 9457). An error is an entry in this table; the step that
 * finds it adds the detail. Source: design "HTTP".
 */

import { LIMIT_SECONDS } from "../data-schema/plans.ts";

interface Entry {
  status: number;
  title: string;
  headers?: Record<string, string>;
}

// RFC 9110 §15.5.2 wants a challenge with every 401; RFC 6750 §3.1 an error code where a token was sent.
const CHALLENGE = { "WWW-Authenticate": 'Bearer realm="soprano"' };
const INVALID_TOKEN = { "WWW-Authenticate": 'Bearer realm="soprano", error="invalid_token"' };
const RETRY = { "Retry-After": "5" };

export const PROBLEMS = {
  "unknown-path": { status: 404, title: "Unknown path" },
  "unknown-version": { status: 404, title: "Unknown version" },
  "unknown-metric": { status: 404, title: "Unknown metric" },
  "method-not-allowed": { status: 405, title: "Method not allowed", headers: { Allow: "GET, HEAD, OPTIONS" } },
  "conflicting-keys": { status: 400, title: "Different API keys given" },
  "missing-key": { status: 401, title: "API key missing", headers: CHALLENGE },
  "malformed-key": { status: 401, title: "API key malformed", headers: INVALID_TOKEN },
  "unknown-key": { status: 401, title: "API key unknown", headers: INVALID_TOKEN },
  "revoked-key": { status: 403, title: "API key revoked" },
  "expired-key": { status: 403, title: "API key expired" },
  "too-many-requests": { status: 429, title: "Too many requests", headers: { "Retry-After": String(LIMIT_SECONDS) } },
  "malformed-url": { status: 400, title: "Malformed URL" },
  "unknown-parameter": { status: 400, title: "Unknown parameter" },
  "inapplicable-parameter": { status: 400, title: "Parameter not taken by this metric" },
  "repeated-parameter": { status: 400, title: "Parameter given more than once" },
  "empty-parameter": { status: 400, title: "Parameter empty" },
  "missing-parameter": { status: 400, title: "Parameter missing" },
  "invalid-parameter": { status: 400, title: "Parameter value not allowed" },
  "reversed-range": { status: 400, title: "Time range reversed" },
  "unavailable-resolution": { status: 400, title: "Resolution not published for this asset" },
  "unsupported-asset": { status: 404, title: "Unsupported asset" },
  "damaged-data": { status: 500, title: "Stored data damaged" },
  "internal-error": { status: 500, title: "Internal error" },
  "store-unavailable": { status: 503, title: "Data store unavailable", headers: RETRY },
  "keys-unavailable": { status: 503, title: "Key store unavailable", headers: RETRY },
} as const satisfies Record<string, Entry>;

export type ProblemType = keyof typeof PROBLEMS;

/** What helps a client to mend its request. */
export interface Facts {
  parameter?: string;
  allowed?: readonly string[];
  suggestion?: string | undefined;
}

/**
 * Stops the pipeline with a problem document. `detail` and `facts` are public; `cause` is for the operator's log;
 * `headers` are those of this case, beside those of its type.
 */
export class Problem extends Error {
  override name = "Problem";
  readonly type: ProblemType;
  readonly facts: Facts;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: ProblemType, detail: string, facts: Facts = {}, cause?: unknown, headers = {}) {
    super(detail, { cause });
    this.type = type;
    this.facts = facts;
    this.headers = headers;
  }

  get status(): number {
    return PROBLEMS[this.type].status;
  }
}

/** Stored bytes or metadata that are not what the manifest promised. The fault is logged, never sent. */
export function damaged(fault: string, cause?: unknown): Problem {
  return new Problem(
    "damaged-data",
    "The stored series does not match its manifest. This is our fault; it has been logged.",
    {},
    new Error(fault, { cause }),
  );
}

/** A read of the object store that failed and may succeed when tried again. */
export function storeUnavailable(cause: unknown): Problem {
  return new Problem("store-unavailable", "The data store cannot be read at the moment. Try again soon.", {}, cause);
}
