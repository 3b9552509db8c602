/** What a formula is, row by row, as docs/formulas.md defines it: plain and slow, without any of the language's code. */

import type { Shape } from "../data-schema/formula/spelled.ts";

/** By row; NaN where there is none. */
type Column = readonly number[];

type Name = Extract<Shape, { kind: "name" }>;
type Quotient = Extract<Shape, { kind: "binary" }>;

const binary = (operator: string, left: Shape, right: Shape): Shape => ({ kind: "binary", operator, left, right });

/** Named formulas. Source: docs/formulas.md#named-formulas. */
const NAMED: Record<string, (metric: (name: string) => Shape) => Shape> = {
  mvrv: (metric) => binary("/", metric("market_cap"), metric("realised_cap")),
  netflow: (metric) => binary("-", metric("cex_inflow"), metric("cex_outflow")),
  velocity: (metric) => binary("/", metric("volume"), metric("supply")),
  drawdown: (metric) =>
    binary("-", binary("/", metric("price"), { kind: "call", name: "max", of: [metric("price")] }), {
      kind: "number",
      value: 1,
    }),
};

/** A tree in which no name stands for a formula, and all are in lower case. */
export function spelledOut(shape: Shape): Shape {
  switch (shape.kind) {
    case "name": {
      const name = shape.name.toLowerCase();
      return NAMED[name]?.((metric) => ({ ...shape, name: metric })) ?? { ...shape, name };
    }
    case "negate":
      return { ...shape, of: spelledOut(shape.of) };
    case "binary":
    case "comparison":
      return { ...shape, left: spelledOut(shape.left), right: spelledOut(shape.right) };
    case "call":
      return { ...shape, name: shape.name.toLowerCase(), of: shape.of.map(spelledOut) };
    default:
      return shape;
  }
}

/** The names in a tree that is spelled out. */
export function namesIn(shape: Shape): Name[] {
  if (shape.kind === "name") return [shape];
  if (shape.kind === "negate") return namesIn(shape.of);
  if (shape.kind === "binary" || shape.kind === "comparison") return [shape.left, shape.right].flatMap(namesIn);
  return shape.kind === "call" ? shape.of.flatMap(namesIn) : [];
}

const sum = (values: Column) => values.reduce((total, value) => total + value, 0);
const sorted = (values: Column) => values.toSorted((a, b) => a - b);
/** Less the first of them, so that equal values have no spread at all. */
const lessFirst = (values: Column) => values.map((value) => value - values[0]!);
const mean = (values: Column) => values[0]! + sum(lessFirst(values)) / values.length;
/** Numbers that doubles can't square. Source: docs/formulas.md#precision. */
export class NotSquared extends Error {}
const MOST_SQUARED = 1e150;

/** @throws {NotSquared} */
const products = (a: Column, b: Column) => {
  const [x, y] = [a, b].map((values) => {
    const differences = lessFirst(values);
    const sizes = differences.filter((one) => one !== 0).map(Math.abs);
    if (sizes.some((size) => !(size < MOST_SQUARED && size > 1 / MOST_SQUARED))) throw new NotSquared();
    const middle = sum(differences) / differences.length;
    return differences.map((difference) => difference - middle);
  });
  return sum(x!.map((value, i) => value * y![i]!));
};
const deviation = (values: Column) => Math.sqrt(products(values, values) / (values.length - 1));
const quantile = (values: Column, share: number) => {
  const [ordered, place] = [sorted(values), share * (values.length - 1)];
  const [below, above] = [ordered[Math.floor(place)]!, ordered[Math.ceil(place)]!];
  return below + (place % 1) * (above - below);
};

/** Statistics of a window's values, the last of which is the row's own; NaN where that is missing. */
const STATISTICS: Record<string, (values: Column, own: number, share: number) => number> = {
  sma: mean,
  sum,
  median: (values) => quantile(values, 0.5),
  quantile: (values, _, share) => quantile(values, share),
  std: deviation,
  zscore: (values, own) => (own - values[0]! - sum(lessFirst(values)) / values.length) / deviation(values),
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  percentile: (values, own) =>
    Number.isNaN(own) ? Number.NaN : values.filter((value) => value <= own).length / values.length,
};

const OF_EACH: Record<string, (value: number) => number> = {
  abs: Math.abs,
  log: Math.log,
  exp: Math.exp,
  sqrt: Math.sqrt,
};

const EARLIER: Record<string, (value: number, earlier: number) => number> = {
  change: (value, earlier) => value - earlier,
  pct: (value, earlier) => value / earlier - 1,
  lag: (_, earlier) => earlier,
};

const OPERATORS: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

const COMPARISONS: Record<string, (a: number, b: number) => boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

/**
 * The values of a tree that is spelled out.
 *
 * @param t times of the rows, Unix seconds
 * @param column the values of a series on these rows
 */
export function valuesOf(shape: Shape, t: Column, column: (name: Name) => Column): Column {
  const of = (one: Shape) => valuesOf(one, t, column);
  const rows = [...t.keys()];
  switch (shape.kind) {
    case "number":
      return t.map(() => shape.value);
    case "name":
      return column(shape);
    case "negate":
      return of(shape.of).map((value) => -value);
    case "binary": {
      const [left, right] = [of(shape.left), of(shape.right)];
      return rows.map((row) => OPERATORS[shape.operator]!(left[row]!, right[row]!));
    }
    case "call":
      return callOf(shape.name, shape.of, t, of);
    default:
      throw new Error(`a ${shape.kind} has no values`);
  }
}

function callOf(name: string, given: readonly Shape[], t: Column, of: (shape: Shape) => Column): Column {
  const rows = [...t.keys()];
  const [first, ...rest] = given;
  /** The last argument, where it is a number of rows. */
  const countAt = (place: number) => (given.length > place ? of(given[place]!)[0]! : undefined);
  if (name === "if") {
    const { comparison, left, right } = first as Extract<Shape, { kind: "comparison" }>;
    const [a, b, x, y] = [left, right, ...rest].map(of);
    return rows.map((row) => {
      // A comparison of two infinite numbers is missing, just as their difference is.
      if (Number.isNaN(a![row]! - b![row]!)) return Number.NaN;
      return COMPARISONS[comparison]!(a![row]!, b![row]!) ? x![row]! : y![row]!;
    });
  }
  if (name === "smooth") {
    const { left, right } = first as Quotient;
    const [a, b] = [left, right].map((side) => callOf("sum", [side, ...rest], t, of));
    return rows.map((row) => a![row]! / b![row]!);
  }
  const x = of(first!);
  if (OF_EACH[name]) return x.map(OF_EACH[name]);
  if (EARLIER[name]) {
    const n = countAt(1) ?? 1;
    return x.map((value, row) => (row < n ? Number.NaN : EARLIER[name]!(value, x[row - n]!)));
  }
  if (name === "index") {
    const since = rest[0]?.kind === "text" ? Date.parse(`${rest[0].text}Z`) / 1000 : Number.NEGATIVE_INFINITY;
    const base = x.find((value, row) => t[row]! >= since && Number.isFinite(value)) ?? Number.NaN;
    return x.map((value) => (Number.isFinite(value) ? (100 * value) / base : Number.NaN));
  }
  // To functions of several rows, what is not finite is missing.
  const finite = x.map((value) => (Number.isFinite(value) ? value : Number.NaN));
  if (name === "ema") return averages(finite, countAt(1)!);
  if (name === "cumsum") {
    let total = 0;
    return finite.map((value) => {
      total += value || 0;
      return Number.isNaN(value) ? value : total;
    });
  }
  const others = name === "corr" || name === "quantile" ? of(rest[0]!) : [];
  const n = countAt(name === "corr" || name === "quantile" ? 2 : 1);
  return rows.map((row) => {
    const all = rows.slice(n === undefined ? 0 : Math.max(0, row - n + 1), row + 1);
    const isThere = (at: number) => !Number.isNaN(finite[at]) && (name !== "corr" || Number.isFinite(others[at]));
    const own = all.filter(isThere);
    if (own.length === 0 || (n !== undefined && own.length < n)) return Number.NaN;
    const values = own.map((at) => finite[at]!);
    if (name !== "corr") return STATISTICS[name]!(values, finite[row]!, others[0]!);
    const pairs = own.map((at) => others[at]!);
    const spread = Math.sqrt(products(values, values)) * Math.sqrt(products(pairs, pairs));
    return Math.max(-1, Math.min(1, products(values, pairs) / spread));
  });
}

/** A row without a value keeps the average, whose weight falls. */
function averages(x: Column, n: number): Column {
  const fresh = 2 / (n + 1);
  let [average, weight] = [Number.NaN, 1];
  return x.map((value) => {
    weight *= 1 - fresh;
    if (Number.isNaN(value)) return average;
    average = Number.isNaN(average) ? value : (weight * average + fresh * value) / (weight + fresh);
    weight = 1;
    return average;
  });
}
