/** A formula's tree → what it computes: names are looked up, named formulas and constants worked out. */

import { SYMBOL_PATTERN } from "../asset.ts";
import type { NaturalLook } from "../registry/natural-looks.ts";
import { InstantError, parseInstant } from "../text/instant.ts";
import { ARITHMETIC } from "./arithmetic.ts";
import { ConstantFormula, FormulaError, type TextSpan, UnknownName } from "./formula-error.ts";
import { SUM } from "./functions/changes.ts";
import { CHOICES } from "./functions/choice.ts";
import type { FormulaFunction, FunctionForm, Other } from "./functions/function.ts";
import { FUNCTIONS, findFunction, signature } from "./functions/functions.ts";
import { at, chosenSelector, type FormulaMetric, type GivenSelector, type Names, nameMeaning } from "./names.ts";
import { COMPARISON_PLACE, parse, type Tree } from "./parse.ts";
import { readQuotient } from "./quotients.ts";
import type { NameToken, Operator } from "./tokens.ts";
import { combine, type Dimension, dimensionOf, type FormulaUnit, NUMBER, SHARE, unitOfDimension } from "./units.ts";

/** A published series. */
export interface SeriesRef {
  asset: string;
  metric: string;
  /** Cohort, exchange or sample; null for a metric that has a single series. */
  selector: string | null;
}

/** What is computed for each row. Numbers are alone or beside a series: constants have been worked out. */
export type Expression =
  | { kind: "number"; value: number }
  | { kind: "input"; index: number }
  | { kind: "negate"; of: Expression }
  | { kind: "binary"; operator: Operator; left: Expression; right: Expression }
  | { kind: "call"; form: FunctionForm; of: Expression; n: number; others: readonly Expression[] };

/** What a curve is computed from, and how. */
export interface Computation {
  expression: Expression;
  /** The series that the expression's inputs are, each once. */
  inputs: SeriesRef[];
  /** Rows before the first wanted one that the results depend on; infinite for all. */
  reach: number;
  /** Whether they may depend on rows after the last wanted one. */
  looksAhead: boolean;
}

export interface Formula<M extends FormulaMetric = FormulaMetric> extends Computation {
  /** Their metrics, each once. */
  metrics: M[];
  unit: FormulaUnit;
  /** That of the metric or the named formula that it is, or is an average of; null of any other. */
  look: NaturalLook | null;
}

/** A series as it is. */
export const plainComputation = (input: SeriesRef): Computation => ({
  expression: { kind: "input", index: 0 },
  inputs: [input],
  reach: 0,
  looksAhead: false,
});

/** Most series of a formula. */
export const MOST_INPUTS = 20;
/** The largest n of a function. */
export const MOST_ROWS = 100_000;

/**
 * Reads a formula.
 *
 * @throws {FormulaError} for the first thing that is wrong, at its place in the text
 */
export function readFormula<M extends FormulaMetric>(text: string, names: Names<M>): Formula<M> {
  const tree = parse(text);
  const inputs = new Map<string, SeriesRef>();
  const metrics = new Map<string, M>();
  const { expression, dimension, look } = resolveTree(tree, { asset: null, selector: null });
  if (expression.kind === "number") throw new ConstantFormula(expression.value, tree);
  return {
    expression,
    inputs: [...inputs.values()],
    metrics: [...metrics.values()],
    unit: unitOfDimension(dimension),
    look: look ?? null,
    reach: reachOf(expression),
    looksAhead: looksAhead(expression),
  };

  /** @param given what a named formula was called with */
  function resolveTree(tree: Tree, given: GivenSelector): Resolved {
    switch (tree.kind) {
      case "number":
        return { expression: tree, dimension: NUMBER };
      case "text":
        throw new FormulaError('Quotes belong around an asset, a selector or a date, as in "LP-3".price.', tree);
      case "name":
        return resolveName(tree.token, given);
      case "call":
        return resolveCall(tree, given);
      case "comparison":
        throw new FormulaError(COMPARISON_PLACE, tree);
      case "negate": {
        const { expression: of, dimension } = resolveTree(tree.of, given);
        return { expression: of.kind === "number" ? constant(-of.value) : { kind: "negate", of }, dimension };
      }
      case "binary":
        return binary(tree.operator, resolveTree(tree.left, given), resolveTree(tree.right, given));
    }
  }

  function binary(operator: Operator, left: Resolved, right: Resolved): Resolved {
    const [a, b] = [left.expression, right.expression];
    const expression: Expression =
      a.kind === "number" && b.kind === "number"
        ? constant(ARITHMETIC[operator](a.value, b.value))
        : { kind: "binary", operator, left: a, right: b };
    return { expression, dimension: combine(operator, left.dimension, right.dimension) };
  }

  function resolveName(token: NameToken, given: GivenSelector): Resolved {
    const name = token.name.toLowerCase();
    const here = { asset: token.asset ?? given.asset, selector: token.selector ?? given.selector };
    const { metric, formula: named } = nameMeaning(token, names);
    if (named) {
      const { expression, dimension } = at(token, () => resolveTree(parse(named.text), here));
      return { expression, dimension: named.isShare ? SHARE : dimension, look: named.look };
    }
    if (!metric) throw noMetric(token);
    const asset = assetOf(here.asset, token);
    const selector = chosenSelector(metric, here.selector, token);
    const key = `${asset}:${name}:${selector}`;
    if (!inputs.has(key)) inputs.set(key, { asset, metric: name, selector });
    if (inputs.size > MOST_INPUTS) throw new FormulaError(`A formula has at most ${MOST_INPUTS} series.`, token);
    metrics.set(name, metric);
    const index = [...inputs.keys()].indexOf(key);
    return { expression: { kind: "input", index }, dimension: dimensionOf(metric.unit), look: metric.look };
  }

  function lookOf(token: NameToken): NaturalLook | undefined {
    const { metric, formula } = nameMeaning(token, names);
    return metric?.look ?? formula?.look;
  }

  function noMetric({ name, spans }: NameToken): FormulaError {
    const entry = findFunction(name.toLowerCase());
    if (entry) return new FormulaError(`${entry.name} is a function: write ${signature(entry)}.`, spans.name);
    const known = [...names.metrics, ...names.formulas].map((other) => other.name);
    return new UnknownName(`There is no metric ${name}.`, spans.name, name, known);
  }

  function assetOf(symbol: string | null, token: NameToken): string {
    const { assets, asset: own = "" } = names;
    if (symbol === null) return own;
    const found = [symbol, symbol.toUpperCase()].find((one) => assets?.includes(one) ?? SYMBOL_PATTERN.test(one));
    if (found !== undefined) return found;
    throw new UnknownName(`There is no asset ${symbol}.`, token.spans.asset, symbol, assets ?? []);
  }

  function resolveCall({ token, of, from, to }: Extract<Tree, { kind: "call" }>, given: GivenSelector): Resolved {
    const entry = findFunction(token.name.toLowerCase());
    if (!entry) {
      const known = FUNCTIONS.map(({ name }) => name);
      throw new UnknownName(`There is no function ${token.name}.`, token.spans.name, token.name, known);
    }
    if (token.asset !== null || token.selector !== null) {
      throw new FormulaError(`${entry.name} is a function. Assets and selectors belong to the metrics in it.`, token);
    }
    const expected = entry.others ?? [];
    const [column, ...rest] = of;
    const [count, extra] = rest.slice(expected.length);
    if (!column) throw new FormulaError(`${entry.name} needs a metric: ${signature(entry)}.`, { from, to });
    if (extra || (count && !entry.counted && !entry.quotient && !entry.dated)) {
      throw new FormulaError(`${entry.name} takes fewer arguments: ${signature(entry)}.`, extra ?? count!);
    }
    if (rest.length < expected.length) {
      throw new FormulaError(`${entry.name} takes more arguments: ${signature(entry)}.`, { from, to });
    }
    const others = expected.map((other, i) => resolveOther(entry, other, rest[i]!, given));
    if (entry.comparison) return choose(entry, column, others, given);
    if (entry.quotient) return smooth(column, rowsOf(entry, entry.quotient.least, count, { from, to }, given), given);
    const { expression, dimension, look } = resolveTree(column, given);
    if (expression.kind === "number" && looksAtEachRow(entry)) {
      const [value] = entry.whole!.evaluate(Float64Array.of(expression.value), 0, [], Float64Array.of(0));
      return { expression: constant(value!), dimension };
    }
    if (expression.kind === "number") {
      throw new FormulaError(`${entry.name} needs a metric, not only a number: ${signature(entry)}.`, column);
    }
    const [form, n] = formOf(entry, count, { from, to }, given);
    return {
      expression: { kind: "call", form, of: expression, n, others: others.map((other) => other.expression) },
      dimension: entry.unit === "same" ? dimension : dimensionOf(entry.unit),
      look: entry.isAverage && averaged(look),
    };
  }

  /** An argument beside the column and the number of rows. */
  function resolveOther(
    { name }: FormulaFunction,
    { name: own, takes }: Other,
    tree: Tree,
    given: GivenSelector,
  ): Resolved {
    const resolved = resolveTree(tree, given);
    const { expression } = resolved;
    const isNumber = expression.kind === "number";
    if (takes === "column" && isNumber)
      throw new FormulaError(`${own} of ${name} is a metric, not only a number.`, tree);
    if (takes === "share" && !(isNumber && expression.value >= 0 && expression.value <= 1)) {
      throw new FormulaError(`${own} of ${name} is a number from 0 to 1.`, tree);
    }
    return resolved;
  }

  /** One of two values, by a comparison. */
  function choose(entry: FormulaFunction, tree: Tree, [x, y]: readonly Resolved[], given: GivenSelector): Resolved {
    if (tree.kind !== "comparison") {
      throw new FormulaError(`${entry.name} begins with a comparison: ${signature(entry)}.`, tree);
    }
    const { expression: of } = binary("-", resolveTree(tree.left, given), resolveTree(tree.right, given));
    if (of.kind === "number") throw new FormulaError("A comparison needs a metric, not only numbers.", tree);
    const others = [x!.expression, y!.expression];
    const form = CHOICES[tree.comparison];
    // A number beside a metric, such as 0, counts in its unit.
    const [a, b] = others.map(({ kind }, i) => (kind === "number" ? undefined : [x!, y!][i]!.dimension));
    const dimension = a === undefined ? (b === undefined ? NUMBER : b) : b === undefined ? a : combine("+", a, b);
    return { expression: { kind: "call", form, of, n: 0, others }, dimension };
  }

  function formOf(
    entry: FormulaFunction,
    count: Tree | undefined,
    call: TextSpan,
    given: GivenSelector,
  ): [form: FunctionForm, n: number] {
    const { counted, whole, dated } = entry;
    if (dated && count) return [dated, timeOf(entry, count)];
    if (!count && counted?.default !== undefined) return [counted, counted.default];
    if (!count && whole) return [whole, 0];
    return [counted!, rowsOf(entry, counted!.least, count, call, given)];
  }

  /** The time that a function is given, Unix seconds. */
  function timeOf({ name }: FormulaFunction, tree: Tree): number {
    const wanted = `The second argument of ${name} is a date in quotes, such as "2024-01-01"`;
    if (tree.kind !== "text") throw new FormulaError(`${wanted}.`, tree);
    try {
      return parseInstant(tree.text);
    } catch (error) {
      if (error instanceof InstantError) throw new FormulaError(`${wanted}: this ${error.message}.`, tree);
      throw error;
    }
  }

  /** The number of rows that a function is given. */
  function rowsOf(
    { name, others }: FormulaFunction,
    least: number,
    count: Tree | undefined,
    call: TextSpan,
    given: GivenSelector,
  ): number {
    if (!count)
      throw new FormulaError(
        `${name} needs a number of rows, such as ${name}(${name === "smooth" ? "sopr" : "price"}, 30).`,
        call,
      );
    const { expression } = resolveTree(count, given);
    const n = expression.kind === "number" ? expression.value : Number.NaN;
    if (Number.isInteger(n) && n >= least && n <= MOST_ROWS) return n;
    throw new FormulaError(
      `The ${others ? "third" : "second"} argument of ${name} is a whole number of rows, from ${least} to ${MOST_ROWS}.`,
      count,
    );
  }

  /** A quotient of sums over n rows. */
  function smooth(tree: Tree, n: number, given: GivenSelector): Resolved {
    const quotient = readQuotient(tree, given, names);
    const sumOf = (side: Tree): Resolved => {
      const { expression, dimension } = quotient.at(() => resolveTree(side, quotient.given));
      return { expression: { kind: "call", form: SUM.counted!, of: expression, n, others: [] }, dimension };
    };
    const [left, right] = [sumOf(quotient.left), sumOf(quotient.right)];
    return {
      expression: { kind: "binary", operator: "/", left: left.expression, right: right.expression },
      dimension: combine("/", left.dimension, right.dimension),
      look: averaged(tree.kind === "name" ? lookOf(tree.token) : undefined),
    };
  }
}

interface Resolved {
  expression: Expression;
  dimension: Dimension;
  look?: NaturalLook | undefined;
}

/** An average compares with the same level, and is no sum of a bucket. */
const averaged = (look: NaturalLook | undefined): NaturalLook | undefined => look && { ...look, mark: "line" };

/** Whether a function makes a value of one other, so that numbers do as well. */
const looksAtEachRow = ({ whole, counted }: FormulaFunction) => whole !== undefined && !counted && whole.reach(0) === 0;

const constant = (value: number): Expression => ({ kind: "number", value });

/** The rows before a row that its result depends on. */
function reachOf(expression: Expression): number {
  switch (expression.kind) {
    case "number":
    case "input":
      return 0;
    case "negate":
      return reachOf(expression.of);
    case "binary":
      return Math.max(reachOf(expression.left), reachOf(expression.right));
    case "call":
      return Math.max(...[expression.of, ...expression.others].map(reachOf)) + expression.form.reach(expression.n);
  }
}

function looksAhead(expression: Expression): boolean {
  switch (expression.kind) {
    case "number":
    case "input":
      return false;
    case "negate":
      return looksAhead(expression.of);
    case "binary":
      return looksAhead(expression.left) || looksAhead(expression.right);
    case "call":
      return "takesTime" in expression.form || [expression.of, ...expression.others].some(looksAhead);
  }
}
