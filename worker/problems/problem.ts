/** A problem as an error that ends the pipeline. */

import { PROBLEMS, type ProblemType } from "./problems.ts";

/** What helps a client to correct its request. JSON leaves out what is undefined. */
export interface ProblemFacts {
  parameter?: string | undefined;
  allowed?: readonly string[] | undefined;
  suggestion?: string | undefined;
  /** What clients of /udf read of an error. */
  s?: "error";
  errmsg?: string;
}

/** A text of the request, if an answer may repeat it: a longer one may be a misplaced key. */
export const repeatable = (text: string): string | undefined => (text.length <= 20 ? text : undefined);

/**
 * Stops the pipeline with a problem document. `detail` and `facts` are public; `cause` goes to the operator's log;
 * `headers` are those of this case, added to those of its type.
 */
export class Problem extends Error {
  override name = "Problem";
  readonly type: ProblemType;
  readonly facts: ProblemFacts;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: ProblemType, detail: string, facts: ProblemFacts = {}, cause?: unknown, headers = {}) {
    super(detail, { cause });
    this.type = type;
    this.facts = facts;
    this.headers = headers;
  }

  get status(): number {
    return PROBLEMS[this.type].status;
  }

  /** The same with more facts, or others in their place. */
  withFacts(facts: ProblemFacts): Problem {
    return new Problem(this.type, this.message, { ...this.facts, ...facts }, this.cause, this.headers);
  }
}

const DAMAGED = "The stored series does not match its manifest. This is our fault; it has been logged.";

/** Stored bytes or metadata that are not what the manifest promised. The fault is logged, never sent. */
export function damaged(fault: string, cause?: unknown): Problem {
  return new Problem("damaged-data", DAMAGED, {}, new Error(fault, { cause }));
}

/** An object that a manifest lists, and that the store does not have. */
class MissingObject extends Error {
  override name = "MissingObject";
}

/** The problem of an object that is missing; otherwise as `damaged`. */
export function missing(key: string, cause?: unknown): Problem {
  return new Problem("damaged-data", DAMAGED, {}, new MissingObject(`${key} is missing`, { cause }));
}

/** Whether what has failed lacks an object, and not just some of its bytes. */
export function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.cause instanceof MissingObject;
}

/** Anything else that is our fault. The fault is logged, never sent. */
export function internalError(fault: unknown): Problem {
  return new Problem("internal-error", "Something went wrong on our side. It has been logged.", {}, fault);
}

/** A read of the object store that failed and may succeed when it is repeated. */
export function storeUnavailable(cause: unknown): Problem {
  return new Problem("store-unavailable", "The data store cannot be read at the moment. Try again soon.", {}, cause);
}

export const isOverloaded = (error: unknown): boolean => error instanceof Problem && error.type === "overloaded";

/** Too many requests are in progress to begin another one. */
export function overloaded(): Problem {
  return new Problem("overloaded", "Too many long answers are being sent at the moment. Try again soon.");
}
