/** The query string of a link, in which plus signs of formulas are what a person types. */

import { findFunction } from "./formula/functions/functions.ts";
import { parse, type Tree } from "./formula/parse.ts";

/**
 * Reads a query string. In one, a plus sign stands for a blank, so that the `+` that a person types into a formula would be lost:
 * where the text with blanks is no formula and the text with plus signs is one, the latter was meant. All else is as in a form.
 *
 * @param search as `location.search`, or without its question mark
 */
export function readQuery(search: string): URLSearchParams {
  const query = new URLSearchParams(search);
  if (!search.includes("+")) return query;
  const typed = [...new URLSearchParams(search.replaceAll("+", "%2B"))];
  return new URLSearchParams(
    [...query].map(([name, value], i): [string, string] => {
      const other = typed[i]![1];
      const isMeant = value.startsWith("=") && !isFormula(value.slice(1)) && isFormula(other.slice(1));
      return [name, isMeant ? other : value];
    }),
  );
}

/** Whether a text has the form of a formula: every name before a bracket is a function's. */
function isFormula(text: string): boolean {
  try {
    return callsFunctions(parse(text));
  } catch {
    return false;
  }
}

function callsFunctions(tree: Tree): boolean {
  switch (tree.kind) {
    case "call":
      return findFunction(tree.token.name.toLowerCase()) !== undefined && tree.of.every(callsFunctions);
    case "binary":
    case "comparison":
      return callsFunctions(tree.left) && callsFunctions(tree.right);
    case "negate":
      return callsFunctions(tree.of);
    default:
      return true;
  }
}
