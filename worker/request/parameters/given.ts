/** Query string → the values that it gives, each parameter once. */

import { nearest } from "../../../data-schema/text/nearest.ts";
import { Problem, repeatable } from "../../problems/problem.ts";
import type { Parameter } from "./v1-parameters.ts";

/**
 * The values by the names of their parameters.
 *
 * @param taken the parameters that the endpoint takes
 * @param notTaken the problem of a name that is none of them
 * @throws {Problem} 400 a parameter that is not taken, given twice, or empty
 */
export function givenValues(
  parameters: URLSearchParams,
  taken: readonly (Parameter<string> & { hasSpaces?: true })[],
  notTaken: (name: string) => Problem = (name) => unknownParameter(name, taken),
): Map<string, string> {
  const find = (name: string) => taken.find((parameter) => parameter.name === name);
  const fault = (name: string) => {
    const parameter = find(name);
    return { parameter: name, allowed: parameter?.values ?? parameter?.forms };
  };
  const values = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (find(name) === undefined) throw notTaken(name);
    if (values.has(name)) throw new Problem("repeated-parameter", `Give ${name} once.`, fault(name));
    // No valid value of most holds a space, so a space was sent as a raw plus sign.
    values.set(name, find(name)!.hasSpaces ? value : value.replaceAll(" ", "+"));
  }
  for (const [name, value] of values) {
    if (value !== "") continue;
    throw new Problem("empty-parameter", `${name} has no value: leave it out or give it one.`, fault(name));
  }
  return values;
}

function unknownParameter(name: string, taken: readonly Parameter<string>[]): Problem {
  const names = taken.map((parameter) => parameter.name);
  const meant = taken.find(({ synonyms }) => synonyms.includes(name.toLowerCase()))?.name;
  return new Problem("unknown-parameter", "There is no such parameter; names are case-sensitive.", {
    parameter: repeatable(name),
    allowed: names,
    suggestion: meant ?? nearest(name, names),
  });
}
