/** Query string → query, checked against the registry. Source: docs/api.md#order-of-checks. */

import { type MetricName, SINGLE_SERIES, type V1Resolution } from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem, repeatable } from "../problems/problem.ts";
import { givenValues } from "./parameters/given.ts";
import { readInstant } from "./parameters/instant-parameter.ts";
import { type Format, isParameter, meantBy, type Parameter, type ParameterName } from "./parameters/v1-parameters.ts";
import type { Endpoint } from "./route.ts";

/** A request with every default filled in: requests for the same points give equal queries. */
export interface Query {
  /** In upper case. Whether such an asset exists is checked in the next step. */
  symbol: string;
  metric: MetricName;
  shape: "sum" | "ratio";
  /** Which of the metric's series, by its name in the objects. */
  selector: string;
  resolution: V1Resolution;
  /** Unix seconds, inclusive; may have a fraction. -Infinity and Infinity when not given. */
  since: number;
  until: number;
  format: Format;
}

/**
 * The query that the parameters describe.
 *
 * @throws {Problem} 400 with the parameter, the allowed values, and the nearest of them
 */
export function validate({ metric, selector, parameters: taken }: Endpoint, parameters: URLSearchParams): Query {
  const find = (name: string) => taken.find((parameter) => parameter.name === name);
  const values = givenValues(parameters, taken, (name) => notTaken(name, taken));
  const symbol = values.get("a");
  if (symbol === undefined) {
    throw new Problem("missing-parameter", "Name the asset by its symbol in the parameter a.", { parameter: "a" });
  }
  const choice = (name: ParameterName): string | undefined => {
    const parameter = find(name);
    const { values: allowed = [] } = parameter ?? {};
    const value = values.get(name) ?? parameter?.default;
    if (value === undefined || allowed.includes(value)) return value;
    throw new Problem("invalid-parameter", `${metric.name} does not take this value of ${name}.`, {
      parameter: name,
      allowed,
      suggestion: nearest(value, allowed),
    });
  };
  const time = (name: "s" | "u", fallback: number) => {
    const value = values.get(name);
    return value === undefined ? fallback : readInstant(find(name)!, value);
  };
  const since = time("s", Number.NEGATIVE_INFINITY);
  const until = time("u", Number.POSITIVE_INFINITY);
  if (since > until) {
    throw new Problem("reversed-range", "s (since) is later than u (until).", { parameter: "s" });
  }
  return {
    symbol: upperCase(symbol),
    metric: metric.name,
    shape: metric.shape,
    resolution: (choice("r") ?? "day") as V1Resolution,
    selector: selector ? choice(selector.parameter)! : SINGLE_SERIES,
    since,
    until,
    format: choice("f") as Format,
  };
}

/** A symbol in capitals. Only ASCII: JavaScript would turn ı and ſ into I and S. */
export function upperCase(symbol: string): string {
  return symbol.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
}

/**
 * Refuses every parameter but a key, which public documents ignore.
 *
 * @throws {Problem} 400
 */
export function validateNone(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) if (name !== "api_key") throw notTaken(name, []);
}

/**
 * Does what `validateNone` does, for the catalog of version 3: there, `/v3/metrics/<metric>` is no series, as it is in
 * version 1.
 *
 * @throws {Problem} 400
 */
export function validateNoneOfV3(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) {
    if (name === "api_key") continue;
    const detail = "This path takes no parameters: series of version 3 are at /v3/series.";
    throw new Problem("unknown-parameter", detail, { parameter: repeatable(name) });
  }
}

function notTaken(name: string, parameters: readonly Parameter[]): Problem {
  const taken: readonly string[] = parameters.map((parameter) => parameter.name);
  const known = parameters.length > 0 && isParameter(name);
  const meant = meantBy(name) ?? nearest(name, taken);
  return new Problem(
    known ? "inapplicable-parameter" : "unknown-parameter",
    known
      ? `This metric takes no parameter ${name}.`
      : parameters.length > 0
        ? "There is no such parameter; names are case-sensitive."
        : "This path takes no parameters.",
    {
      parameter: repeatable(name),
      allowed: taken.length > 0 ? taken : undefined,
      suggestion: taken.find((parameter) => parameter === meant),
    },
  );
}
