import { nearest } from "../text/nearest.ts";
import { type FormulaError, UnknownName } from "./formula-error.ts";

/** What is wrong with a formula, and the name that may have been meant. */
export function errorText(error: FormulaError): string {
  const near = error instanceof UnknownName ? nearest(error.written, error.allowed) : undefined;
  return near === undefined ? error.message : `${error.message} Did you mean ${near}?`;
}
