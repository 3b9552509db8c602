/** A parameter's value → a time. */

import { InstantError, parseInstant } from "../../../data-schema/text.ts";
import { Problem } from "../../problems/problem.ts";
import type { Parameter } from "./v1-parameters.ts";

/**
 * Unix seconds.
 *
 * @throws {Problem} 400
 */
export function readInstant({ name, forms }: Parameter<string>, value: string): number {
  try {
    return parseInstant(value);
  } catch (error) {
    if (!(error instanceof InstantError)) throw error;
    throw new Problem("invalid-parameter", `${name} ${error.message}.`, { parameter: name, allowed: forms });
  }
}
