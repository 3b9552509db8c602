/** The query string of GET /v3/duckdb.sql. */

import { RESOLUTIONS, type Resolution } from "../../data-schema/registry.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { Problem } from "../problems/problem.ts";
import { givenValues } from "./parameters/given.ts";
import { type TableParameter, tableParameter } from "./parameters/table-parameters.ts";
import { symbolsOf } from "./table-query.ts";

const { default: _preset, ...resolution } = tableParameter("r");

/** The parameters, in the order in which they are shown. */
export const DUCKDB_PARAMETERS: readonly TableParameter[] = [
  tableParameter("api_key"),
  tableParameter("a"),
  {
    ...resolution,
    title: "Resolutions",
    description: "The resolutions to make views of. Left out: all that are published.",
    values: RESOLUTIONS,
    list: { most: RESOLUTIONS.length },
  },
];

export interface DuckdbQuery {
  /** In upper case. Whether there are such assets is checked in the next step. */
  symbols: readonly string[];
  resolutions: readonly Resolution[];
}

/** @throws {Problem} 400 with the first wrong parameter, what is allowed, and the nearest of that */
export function validateDuckdb(parameters: URLSearchParams): DuckdbQuery {
  const values = givenValues(parameters, DUCKDB_PARAMETERS);
  const symbols = symbolsOf(values);
  const given = values.get("r")?.split(",");
  const unknown = given?.find((name) => !RESOLUTIONS.some((known) => known === name));
  if (unknown !== undefined) {
    throw new Problem("invalid-parameter", "r does not take this value.", {
      parameter: "r",
      allowed: RESOLUTIONS,
      suggestion: nearest(unknown, RESOLUTIONS),
    });
  }
  return { symbols, resolutions: RESOLUTIONS.filter((name) => given?.includes(name) ?? true) };
}
