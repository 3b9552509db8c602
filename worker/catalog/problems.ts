/** GET /problems/<type>: what an error means, at the URI that problem documents name as its type. */

import { PROBLEMS, type ProblemType, problemPath, TYPES } from "../problems/problems.ts";
import { unknownPath } from "../request/route.ts";

/**
 * The problem type with a name.
 *
 * @throws {Problem} 404 there is no such type
 */
export function knownProblem(name: string): ProblemType {
  const type = TYPES.find((candidate) => candidate === name);
  if (type === undefined) throw unknownPath(`/problems/${name}`, TYPES.map(problemPath));
  return type;
}

/** What an error means. */
export function problemEntry(type: ProblemType) {
  const { status, title, meaning } = PROBLEMS[type];
  return { type: problemPath(type), title, status, meaning };
}
