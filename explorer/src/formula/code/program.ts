/** What a snippet computes, and what its writers share: the request, names of columns, and expressions as text. */

import type { Computation, Expression, SeriesRef } from "../../../../data-schema/formula.ts";
import { isoTimeWithoutZone } from "../../../../data-schema/text.ts";
import type { Resolution } from "../../api/catalog.ts";
import { columnName } from "../../api/request.ts";
import type { Code } from "./code-parts.ts";
import { codeOf } from "./functions/functions.ts";

export interface Program {
  /** The request for all inputs, without its format. */
  url: string;
  key: string;
  resolution: Resolution;
  /** Titles are unique. */
  lines: readonly ProgramLine[];
  /** The first time to show, ISO 8601, where rows before it are only computed from; null for all rows. */
  since: string | null;
  /** The last, where rows after it are only computed from. */
  until: string | null;
}

export interface ProgramLine {
  title: string;
  formula: Computation;
}

/** A variable for each input of a program, by its column: its metric, and what else tells it apart. */
export function variablesOf(program: Program): Map<string, string> {
  const inputs = programInputs(program.lines);
  const forms: ((input: SeriesRef) => string)[] = [
    ({ metric }) => metric,
    ({ metric, selector }) => `${metric}_${selector ?? "total"}`,
    ({ asset, metric, selector }) => `${asset.toLowerCase()}_${metric}_${selector ?? "total"}`,
  ];
  const variables = new Map<string, string>();
  for (const input of inputs) {
    const isAlone = (form: (input: SeriesRef) => string) =>
      inputs.filter((other) => identifier(form(other)) === identifier(form(input))).length === 1;
    const form = forms.find(isAlone);
    variables.set(columnName(input), form ? identifier(form(input)) : `series_${variables.size + 1}`);
  }
  return variables;
}

/** `$10M+` and `<1d` become words, so that neighbouring cohorts stay apart. */
const identifier = (text: string) =>
  text
    .replaceAll("+", "_up")
    .replaceAll("<", "below_")
    .replaceAll(/\W+/g, "_")
    .replace(/^(?=\d)/, "_");

/** The inputs of lines, each once. */
export const programInputs = (lines: readonly ProgramLine[]): SeriesRef[] => [
  ...new Map(lines.flatMap(({ formula }) => formula.inputs).map((input) => [columnName(input), input])).values(),
];

/** How a language writes the parts of an expression. */
export interface Notation {
  number(value: number): string;
  input(index: number): string;
  call(expression: Extract<Expression, { kind: "call" }>): string;
}

/** Text with the brackets that it needs: for sums 1, products 2, signs 3, everything else 4. */
export function textOf(expression: Expression, notation: Notation, level = 1): string {
  const [own, text] = levelled(expression, notation);
  return own < level ? `(${text})` : text;
}

function levelled(expression: Expression, notation: Notation): [level: number, text: string] {
  switch (expression.kind) {
    case "number": {
      const { value } = expression;
      return [value < 0 || Object.is(value, -0) ? 3 : 4, notation.number(value)];
    }
    case "input":
      return [4, notation.input(expression.index)];
    case "call":
      return [4, notation.call(expression)];
    case "negate":
      return [3, `-${textOf(expression.of, notation, 4)}`];
    case "binary": {
      const { operator, left, right } = expression;
      const own = operator === "+" || operator === "-" ? 1 : 2;
      return [own, `${textOf(left, notation, own)} ${operator} ${textOf(right, notation, own + 1)}`];
    }
  }
}

/** The time that a form takes, ISO 8601, in quotes. */
export const givenTime = (n: number, zone: "" | "Z" = ""): string => JSON.stringify(isoTimeWithoutZone(n) + zone);

/** The definitions that a program's calls need, in one language. */
export function definitionsOf({ lines }: Program, language: "python" | "typescript"): Code[] {
  const codes = new Set<Code>();
  const visit = (expression: Expression) => {
    if (expression.kind === "call") codes.add(codeOf(expression.form)[language]);
    if (expression.kind === "negate" || expression.kind === "call") visit(expression.of);
    if (expression.kind === "call") expression.others.forEach(visit);
    if (expression.kind === "binary") for (const side of [expression.left, expression.right]) visit(side);
  };
  for (const { formula } of lines) visit(formula.expression);
  const all = new Set<Code>();
  const take = (code: Code) => {
    for (const needed of code.needs ?? []) take(needed);
    all.add(code);
  };
  for (const code of codes) take(code);
  return [...all];
}

/** Intermediate results of a line, each once, by name. */
export class Steps {
  readonly #names = new Map<string, string>();

  /** The name of a result, given as text that may contain the names of earlier ones. */
  take(text: string): string {
    const name = this.#names.get(text) ?? `step${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }

  get all(): [name: string, text: string][] {
    return Array.from(this.#names, ([text, name]) => [name, text]);
  }
}
