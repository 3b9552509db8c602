/** A formula's tokens → its tree. Names are not looked up yet. */

import { FormulaError, type TextSpan } from "./formula-error.ts";
import type { Comparison } from "./functions/choice.ts";
import { type FormulaToken, type NameToken, type Operator, tokenise } from "./tokens.ts";

export type Tree = TextSpan &
  (
    | { kind: "number"; value: number }
    | { kind: "text"; text: string }
    | { kind: "name"; token: NameToken }
    | { kind: "negate"; of: Tree }
    | { kind: "binary"; operator: Operator; left: Tree; right: Tree }
    | { kind: "comparison"; comparison: Comparison; left: Tree; right: Tree }
    | { kind: "call"; token: NameToken; of: readonly Tree[] }
  );

/** Said of a comparison anywhere else. */
export const COMPARISON_PLACE = "A comparison stands at the beginning of if, as in if(a < b, x, y).";

/** Longest text; links hold it, and its tree stays small. */
export const MOST_CHARACTERS = 1000;
/** Brackets and signs inside each other; the functions here call themselves for each. */
const MOST_LEVELS = 50;

/**
 * Parses a formula: `+` and `-` bind less than `*` and `/`, which bind less than a sign; equals go from left to right.
 *
 * @throws {FormulaError} for the first thing that is wrong
 */
export const parse = (text: string): Tree => parseText(text, false);

/**
 * Parses a comparison of two formulas.
 *
 * @throws {FormulaError} as `parse`
 */
export function parseCondition(text: string): Extract<Tree, { kind: "comparison" }> {
  const tree = parseText(text, true);
  if (tree.kind === "comparison") return tree;
  throw new FormulaError("A condition compares two formulas, as in mvrv < 1.", tree);
}

function parseText(text: string, isCondition: boolean): Tree {
  if (text.length > MOST_CHARACTERS) {
    throw new FormulaError(`A formula has at most ${MOST_CHARACTERS} characters.`, {
      from: MOST_CHARACTERS,
      to: text.length,
    });
  }
  const tokens = tokenise(text);
  let next = 0;
  let level = 0;
  const tree = isCondition ? argument() : sum();
  const rest = tokens[next]!;
  if (rest.kind === ")") throw new FormulaError("There is no bracket that this one closes.", rest);
  if (rest.kind === ",") throw new FormulaError("A comma stands between the arguments of a function.", rest);
  if (rest.kind === "comparison") throw new FormulaError(COMPARISON_PLACE, rest);
  if (rest.kind !== "end") throw new FormulaError(`An operator is missing before ${textOf(rest)}.`, rest);
  return tree;

  function sum(): Tree {
    return chain(["+", "-"], () => chain(["*", "/"], signed));
  }

  function chain(operators: readonly Operator[], operand: () => Tree): Tree {
    let left = operand();
    for (;;) {
      const token = tokens[next]!;
      if (token.kind !== "operator" || !operators.includes(token.operator)) return left;
      next++;
      const right = operand();
      left = { kind: "binary", operator: token.operator, left, right, from: left.from, to: right.to };
    }
  }

  function signed(): Tree {
    const token = tokens[next]!;
    if (token.kind !== "operator" || token.operator === "*" || token.operator === "/") return operand();
    next++;
    const of = nested(token, signed);
    return token.operator === "+" ? of : { kind: "negate", of, from: token.from, to: of.to };
  }

  function operand(): Tree {
    const token = tokens[next]!;
    if (token.kind === "number" || token.kind === "text") {
      next++;
      return token;
    }
    if (token.kind === "name") {
      next++;
      return tokens[next]!.kind === "(" ? call(token) : { kind: "name", token, from: token.from, to: token.to };
    }
    if (token.kind === "(") {
      next++;
      const tree = nested(token, sum);
      return { ...tree, from: token.from, to: close(token) };
    }
    throw new FormulaError(whatIsMissing(), token, token.kind === "end");
  }

  function call(token: NameToken): Tree {
    const open = tokens[next++]!;
    const of: Tree[] = [];
    if (tokens[next]!.kind !== ")") {
      do of.push(nested(open, argument));
      while (tokens[next]!.kind === "," && next++);
    }
    return { kind: "call", token, of, from: token.from, to: close(open) };
  }

  /** A formula, or a comparison of two, which `if` takes. */
  function argument(): Tree {
    const left = sum();
    const token = tokens[next]!;
    if (token.kind !== "comparison") return left;
    next++;
    const right = sum();
    return { kind: "comparison", comparison: token.comparison, left, right, from: left.from, to: right.to };
  }

  function nested(opening: FormulaToken, read: () => Tree): Tree {
    if (++level > MOST_LEVELS) {
      const what = opening.kind === "operator" ? "signs in a row" : "brackets inside each other";
      throw new FormulaError(`The formula has too many ${what}.`, opening);
    }
    const tree = read();
    level--;
    return tree;
  }

  /** Where the bracket's partner ends. */
  function close(open: FormulaToken): number {
    const token = tokens[next]!;
    if (token.kind === "end") throw new FormulaError("This bracket is never closed.", open, true);
    if (token.kind === "comparison") throw new FormulaError(COMPARISON_PLACE, token);
    if (token.kind !== ")") throw new FormulaError(`An operator is missing before ${textOf(token)}.`, token);
    next++;
    return token.to;
  }

  function whatIsMissing(): string {
    const before = tokens[next - 1];
    if (tokens.length === 1) return "Type a formula, such as market_cap / realised_cap.";
    if (!before) return `A number or a metric is missing before ${textOf(tokens[next]!)}.`;
    return `A number or a metric is missing after ${textOf(before)}.`;
  }

  function textOf({ from, to }: FormulaToken): string {
    return text.slice(from, to);
  }
}
