/** Query string → query, against the registry. Source: design "HTTP". */

import { type MetricName, resolutionsOf, SINGLE_SERIES } from "../data-schema/metrics.ts";
import type { Resolution } from "../data-schema/resolutions.ts";
import { InstantError, parseInstant } from "./instant.ts";
import { nearest } from "./nearest.ts";
import { Problem } from "./problems.ts";
import type { Endpoint } from "./route.ts";

export const FORMATS = ["json", "csv"] as const;
export type Format = (typeof FORMATS)[number];

/** A request with every default resolved: two requests for the same thing give equal queries. */
export interface Query {
  /** In upper case; whether there is such an asset is for the next step to find out. */
  symbol: string;
  metric: MetricName;
  shape: "sum" | "ratio";
  /** Which of the metric's series, as it is named in the objects. */
  selector: string;
  resolution: Resolution;
  /** Unix seconds, inclusive; may have a fraction. -Infinity and Infinity when not given. */
  since: number;
  until: number;
  format: Format;
}

const PARAMETERS = ["api_key", "a", "s", "u", "r", "c", "t", "f"] as const;
type Parameter = (typeof PARAMETERS)[number];

const INSTANT_FORMS = ["Unix seconds", "YYYY-MM-DD", "YYYY-MM-DDTHH:MM[:SS[.fff]][Z|±HH:MM]"];

/** Names that people try for the parameters. */
const SYNONYMS: ReadonlyMap<string, Parameter> = new Map([
  ["apikey", "api_key"],
  ["key", "api_key"],
  ["token", "api_key"],
  ["asset", "a"],
  ["symbol", "a"],
  ["since", "s"],
  ["start", "s"],
  ["from", "s"],
  ["until", "u"],
  ["to", "u"],
  ["end", "u"],
  ["resolution", "r"],
  ["interval", "r"],
  ["cohort", "c"],
  ["exchange", "c"],
  ["transfers", "t"],
  ["sample", "t"],
  ["format", "f"],
]);

/**
 * The query that the parameters spell.
 *
 * @throws {Problem} 400, naming the parameter, what is allowed, and the nearest to what was written
 */
export function validate(endpoint: Endpoint, parameters: URLSearchParams): Query {
  const { metric, selector } = endpoint;
  const resolutions = resolutionsOf(metric);
  const taken = PARAMETERS.filter(
    (name) =>
      (name !== "r" || resolutions.length > 1) && ((name !== "c" && name !== "t") || name === selector?.parameter),
  );
  const allowed: Partial<Record<string, readonly string[]>> = {
    s: INSTANT_FORMS,
    u: INSTANT_FORMS,
    r: resolutions,
    f: FORMATS,
    ...(selector ? { [selector.parameter]: selector.values } : {}),
  };
  const fault = (name: string) => ({ parameter: name, ...(allowed[name] ? { allowed: allowed[name] } : {}) });
  const values = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (!taken.some((known) => known === name)) throw notTaken(name, taken);
    if (values.has(name)) throw new Problem("repeated-parameter", `Give ${name} once.`, fault(name));
    // No value holds a space: one that arrives was sent as a raw plus sign.
    values.set(name, value.replaceAll(" ", "+"));
  }
  for (const [name, value] of values) {
    if (value === "") {
      throw new Problem("empty-parameter", `${name} has no value: leave it out or give it one.`, fault(name));
    }
  }
  const symbol = values.get("a");
  if (symbol === undefined) {
    throw new Problem("missing-parameter", "Name the asset by its symbol in the parameter a.", { parameter: "a" });
  }
  const oneOf = <T extends string>(name: Parameter, allowed: readonly T[], fallback: T): T => {
    const value = values.get(name);
    if (value === undefined) return fallback;
    const match = allowed.find((candidate) => candidate === value);
    if (match !== undefined) return match;
    throw new Problem("invalid-parameter", `${metric.name} does not take this value of ${name}.`, {
      parameter: name,
      allowed,
      suggestion: nearest(value, allowed),
    });
  };
  const since = instant("s", values.get("s"), Number.NEGATIVE_INFINITY);
  const until = instant("u", values.get("u"), Number.POSITIVE_INFINITY);
  if (since > until) {
    throw new Problem("reversed-range", "s (since) is later than u (until).", { parameter: "s" });
  }
  return {
    symbol: symbol.toUpperCase(),
    metric: metric.name,
    shape: metric.shape,
    resolution: oneOf("r", resolutions, "day"),
    selector: selector ? oneOf(selector.parameter, selector.values, selector.default) : SINGLE_SERIES,
    since,
    until,
    format: oneOf("f", FORMATS, "json"),
  };
}

function notTaken(name: string, taken: readonly Parameter[]): Problem {
  const known = PARAMETERS.some((parameter) => parameter === name);
  const meant = SYNONYMS.get(name.toLowerCase()) ?? nearest(name, taken);
  return new Problem(
    known ? "inapplicable-parameter" : "unknown-parameter",
    known ? `This metric takes no parameter ${name}.` : "There is no such parameter; names are case-sensitive.",
    {
      // Longer than any name, it may be a misplaced key, which no answer may repeat.
      ...(name.length <= 20 ? { parameter: name } : {}),
      allowed: taken,
      suggestion: taken.find((parameter) => parameter === meant),
    },
  );
}

function instant(name: "s" | "u", value: string | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  try {
    return parseInstant(value);
  } catch (error) {
    if (!(error instanceof InstantError)) throw error;
    throw new Problem("invalid-parameter", `${name} ${error.message}.`, {
      parameter: name,
      allowed: INSTANT_FORMS,
    });
  }
}
