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

/** The parameter of the health of the service: how old data may be. */
export const MAX_AGE: Parameter<"maxAge"> = {
  name: "maxAge",
  title: "Maximum age",
  description:
    "Answer 503 if the data of an asset is older: minutes, hours or days, such as 30h; or target, for each asset's own, as its freshness says.",
  required: false,
  forms: ["minutes, hours or days, such as 90m, 30h or 2d", "target"],
  pattern: "^([1-9]\\d{0,3}[mhd]|target)$",
  example: "30h",
  synonyms: ["age", "max-age", "maxage", "max_age"],
};

const SECONDS = { m: 60, h: 3_600, d: 86_400 };

/**
 * The value of `before`; null if it is not given. A key is ignored, as on every public page.
 *
 * @throws {Problem} 400
 */
export function validateBefore(parameters: URLSearchParams): number | null {
  const value = onlyValue(parameters, BEFORE, "is not the number of an entry");
  return value === null ? null : Number(value);
}

/**
 * How old data may be, in seconds, or "target" for each asset's own; null if that does not matter.
 *
 * @throws {Problem} 400
 */
export function validateMaxAge(parameters: URLSearchParams): number | "target" | null {
  const value = onlyValue(parameters, MAX_AGE, "is no age");
  if (value === null || value === "target") return value;
  return Number(value.slice(0, -1)) * SECONDS[value.at(-1) as keyof typeof SECONDS];
}

/** The value of a page's only parameter; null if it is not given. */
function onlyValue(parameters: URLSearchParams, taken: Parameter<string>, fault: string): string | null {
  const own = new URLSearchParams([...parameters].filter(([name]) => name !== "api_key"));
  const value = givenValues(own, [taken]).get(taken.name);
  if (value === undefined) return null;
  if (new RegExp(taken.pattern!).test(value)) return value;
  throw new Problem("invalid-parameter", `${taken.name} ${fault}.`, { parameter: taken.name, allowed: taken.forms });
}
