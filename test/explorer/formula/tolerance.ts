/**
 * How far two computations of a formula may be apart. Each step may differ by some rounding errors; where digits cancel, as
 * in a difference of almost equal numbers, an error that was small before is large beside the result.
 */

import { evaluate } from "../../../data-schema/formula/evaluate.ts";
import type { Computation, Expression } from "../../../data-schema/formula/resolve.ts";
import { codeOf } from "../../../explorer/src/formula/code/functions/functions.ts";

/** The rounding error of one step, relative to the largest number that goes in. */
const ROUNDING = 2e-14;

interface Bounded {
  values: Float64Array;
  /** By row; infinite where nothing can be said, such as for a quotient by a number that may be 0. */
  errors: Float64Array;
}

/** The absolute tolerance of each row. */
export function toleranceOf(formula: Computation, columns: readonly Float64Array[], t: Float64Array): Float64Array {
  const rows = columns[0]!.length;
  return boundedOf(formula.expression).errors;

  function boundedOf(expression: Expression): Bounded {
    const values = evaluate({ ...formula, expression }, columns, t);
    switch (expression.kind) {
      case "number":
      case "input":
        return { values, errors: new Float64Array(rows) };
      case "negate":
        return { values, errors: boundedOf(expression.of).errors };
      case "binary": {
        const left = boundedOf(expression.left);
        const right = boundedOf(expression.right);
        const errors = values.map((value, row) => {
          const [a, b] = [left.values[row]!, right.values[row]!];
          const [ea, eb] = [left.errors[row]!, right.errors[row]!];
          const own = ROUNDING * Math.abs(value);
          if (expression.operator === "+" || expression.operator === "-") return ea + eb + own;
          if (expression.operator === "*") return Math.abs(a) * eb + Math.abs(b) * ea + ea * eb + own;
          // An exact 0 divides alike everywhere.
          if (eb === 0) return ea / Math.abs(b) + own;
          return eb < Math.abs(b) ? (ea + Math.abs(value) * eb) / (Math.abs(b) - eb) + own : Number.POSITIVE_INFINITY;
        });
        return { values, errors };
      }
      case "call":
        return {
          values,
          errors: callErrors(expression, boundedOf(expression.of), values, expression.others.map(boundedOf)),
        };
    }
  }

  /** A logarithm or root near 0 may be anything. */
  function ofRoot(name: string, x: number, error: number, value: number): number {
    const own = ROUNDING * Math.max(1, Math.abs(value));
    if (error === 0) return own;
    if (error >= Math.abs(x)) return Number.POSITIVE_INFINITY;
    return (
      own +
      (name.startsWith("log") ? Math.log(Math.abs(x) / (Math.abs(x) - error)) : error / Math.sqrt(Math.abs(x) - error))
    );
  }

  /** Relative to how far the values of each column lie apart. */
  function correlationError(x: Bounded, y: Bounded, row: number, reach: number): number {
    const doubts = [x, y].map(({ values, errors }) => {
      const own: number[] = [];
      for (let i = Math.max(0, row - reach); i <= row; i++) {
        if (Number.isFinite(x.values[i]) && Number.isFinite(y.values[i])) own.push(i);
      }
      const mean = own.reduce((total, i) => total + values[i]!, 0) / own.length;
      const deviation = Math.sqrt(own.reduce((total, i) => total + (values[i]! - mean) ** 2, 0) / own.length);
      const size = Math.max(0, ...own.map((i) => Math.abs(values[i]! - values[own[0]!]!)));
      const error = Math.max(0, ...own.map((i) => errors[i]!));
      return (2 * error + 10 * ROUNDING * size) / deviation;
    });
    const doubt = 4 * (doubts[0]! + doubts[1]!) + ROUNDING;
    return doubt < 0.1 ? doubt : Number.POSITIVE_INFINITY;
  }

  /** The share of values that may be at most the row's, or not. */
  function nearOnes({ values, errors }: Bounded, row: number, reach: number): number {
    let [near, size] = [0, 0];
    for (let i = Math.max(0, row - reach); i < row; i++) {
      if (!Number.isFinite(values[i])) continue;
      size++;
      const doubt = errors[i]! + errors[row]!;
      if (doubt > 0 && Math.abs(values[i]! - values[row]!) <= doubt) near++;
    }
    return ROUNDING + near / (size + 1);
  }

  function callErrors(
    { form, n }: Extract<Expression, { kind: "call" }>,
    of: Bounded,
    values: Float64Array,
    others: readonly Bounded[],
  ) {
    const reach = "least" in form && Number.isFinite(form.reach(n)) ? form.reach(n) : rows;
    const name = codeOf(form).python.name;
    return values.map((value, row) => {
      let [error, size, low, high] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      let total = 0;
      for (let i = Math.max(0, row - reach); i <= row; i++) {
        const x = of.values[i]!;
        if (!Number.isFinite(x)) continue;
        error = Math.max(error, of.errors[i]!);
        size = Math.max(size, Math.abs(x));
        low = Math.min(low, x);
        high = Math.max(high, x);
        total += Math.abs(x) * ROUNDING + of.errors[i]!;
      }
      const range = high - low;
      // Where the sign of a difference is in doubt, it may be either.
      if (name.startsWith("if")) {
        const isSure = of.errors[row]! < Math.abs(of.values[row]!) || of.errors[row] === 0;
        return isSure ? Math.max(...others.map(({ errors }) => errors[row]!)) : Number.POSITIVE_INFINITY;
      }
      if (name.startsWith("corr")) return correlationError(of, others[0]!, row, reach);
      if (name.startsWith("abs")) return of.errors[row]!;
      if (name.startsWith("exp")) return Math.abs(value) * (Math.exp(of.errors[row]!) - 1) + ROUNDING * Math.abs(value);
      if (name.startsWith("log") || name.startsWith("sqrt"))
        return ofRoot(name, of.values[row]!, of.errors[row]!, value);
      if (name.startsWith("index")) {
        const first = "takesTime" in form ? t.findIndex((time) => time >= n) : 0;
        const base = of.values.findIndex((x, i) => i >= first && first >= 0 && Number.isFinite(x));
        const [divisor, doubt] = [Math.abs(of.values[base] ?? Number.NaN), of.errors[base] ?? 0];
        // An exact 0 divides alike everywhere.
        if (doubt === 0) return (100 * of.errors[row]!) / divisor + ROUNDING * Math.abs(value);
        const own = (100 * of.errors[row]! + Math.abs(value) * doubt) / (divisor - doubt) + ROUNDING * Math.abs(value);
        return doubt < divisor ? own : Number.POSITIVE_INFINITY;
      }
      if (name.startsWith("percentile")) return nearOnes(of, row, reach);
      if (name.startsWith("sum") || name === "rolling_sum") return total;
      if (name.startsWith("cumsum")) return total;
      if (name.startsWith("std")) return 2 * error + ROUNDING * range;
      if (name.startsWith("zscore")) {
        const deviation = range / (2 * Math.sqrt(reach + 1));
        const doubt = 2 * error + ROUNDING * range;
        if (error === 0) return ROUNDING * 10 * Math.sqrt(reach + 1) * (1 + Math.abs(value));
        return doubt < deviation ? ((2 + Math.abs(value)) * doubt) / (deviation - doubt) : Number.POSITIVE_INFINITY;
      }
      if (name === "pct") {
        const earlier = of.values[row - n] ?? Number.NaN;
        const doubt = of.errors[row - n] ?? 0;
        const own = ROUNDING * (1 + Math.abs(value));
        if (doubt === 0) return (of.errors[row] ?? 0) / Math.abs(earlier) + own;
        return doubt < Math.abs(earlier)
          ? ((of.errors[row] ?? 0) + (1 + Math.abs(value)) * doubt) / (Math.abs(earlier) - doubt) + own
          : Number.POSITIVE_INFINITY;
      }
      return 2 * error + ROUNDING * size;
    });
  }
}
