/** Query string of a page that needs no key → its values. */

import { Problem } from "../../problems/problem.ts";
import { givenValues } from "./given.ts";
import type { Parameter } from "./v1-parameters.ts";

/** The parameter of a log: where its page begins. */
export const BEFORE: Parameter<"before"> = {
  name: "before",
  title: "Before",
  description: "Return only entries before the one with this number: the `next` of the page before.",
  required: false,
  forms: ["the number of an entry"],
  pattern: "^[1-9]\\d{0,7}$",
  example: "100",
  synonyms: ["cursor", "page", "until"],
};

/**
 * The value of `before`; null if it is not given. A key is ignored, as on every public page.
 *
 * @throws {Problem} 400
 */
export function validateBefore(parameters: URLSearchParams): number | null {
  const own = new URLSearchParams([...parameters].filter(([name]) => name !== "api_key"));
  const value = givenValues(own, [BEFORE]).get(BEFORE.name);
  if (value === undefined) return null;
  if (new RegExp(BEFORE.pattern!).test(value)) return Number(value);
  const facts = { parameter: BEFORE.name, allowed: BEFORE.forms };
  throw new Problem("invalid-parameter", "before is not the number of an entry.", facts);
}
