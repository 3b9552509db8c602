/** A problem as an error that ends the pipeline. */

import { PROBLEMS, type ProblemType } from "./problems.ts";

/** What helps a client to correct its request. JSON leaves out what is undefined. */
export interface Facts {
  parameter?: string | undefined;
  allowed?: readonly string[] | undefined;
  suggestion?: string | undefined;
}

/**
 * Stops the pipeline with a problem document. `detail` and `facts` are public; `cause` goes to the operator's log;
 * `headers` are those of this case, added to those of its type.
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

/** A read of the object store that failed and may succeed when it is repeated. */
export function storeUnavailable(cause: unknown): Problem {
  return new Problem("store-unavailable", "The data store cannot be read at the moment. Try again soon.", {}, cause);
}

/** Too many requests are in progress to begin another one. */
export function overloaded(): Problem {
  return new Problem("overloaded", "Too many long answers are being sent at the moment. Try again soon.");
}
