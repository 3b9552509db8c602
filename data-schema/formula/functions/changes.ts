/** What changes from row to row, and its sums: `change`, `pct`, `lag`, `sum` and `cumsum`. */

import { DoubleDouble } from "../windows/double-double.ts";
import { expanding, rolling, type Statistic } from "../windows/moments.ts";
import type { FormulaFunction } from "./function.ts";

/** A value of each row and the one n rows before it; NaN in the first n rows. */
function withEarlier(x: Float64Array, n: number, compare: (value: number, earlier: number) => number): Float64Array {
  return x.map((value, row) => (row < n ? Number.NaN : compare(value, x[row - n]!)));
}

export const CHANGE: FormulaFunction = {
  name: "change",
  description: "The difference from n rows before; from the row before, without n.",
  unit: "same",
  counted: {
    pandas: "x.diff(n)",
    least: 1,
    default: 1,
    evaluate: (x, n) => withEarlier(x, n, (value, earlier) => value - earlier),
    reach: (n) => n,
  },
};

export const PCT: FormulaFunction = {
  name: "pct",
  description: "The change from n rows before as a fraction of that value: 0.05 for 5 % more.",
  unit: "share",
  counted: {
    pandas: "x.pct_change(n, fill_method=None)",
    least: 1,
    default: 1,
    evaluate: (x, n) => withEarlier(x, n, (value, earlier) => value / earlier - 1),
    reach: (n) => n,
  },
};

export const LAG: FormulaFunction = {
  name: "lag",
  description: "The value n rows before; that of the row before, without n.",
  unit: "same",
  counted: {
    pandas: "x.shift(n)",
    least: 1,
    default: 1,
    evaluate: (x, n) => withEarlier(x, n, (_, earlier) => earlier),
    reach: (n) => n,
  },
};

const total: Statistic = ({ sum }) => sum.hi;

export const SUM: FormulaFunction = {
  name: "sum",
  description: "The sum of the last n rows, or of all rows so far.",
  unit: "same",
  counted: {
    pandas: "x.rolling(n).sum()",
    least: 1,
    evaluate: (x, n) => rolling(x, n, "zero", total),
    reach: (n) => n - 1,
  },
  whole: {
    pandas: "x.expanding().sum()",
    evaluate: (x) => expanding(x, "zero", total),
    reach: () => Number.POSITIVE_INFINITY,
  },
};

export const CUMSUM: FormulaFunction = {
  name: "cumsum",
  description: "The sum of all rows so far; none in a row without a value.",
  unit: "same",
  whole: {
    pandas: "x.cumsum()",
    evaluate(x) {
      const sum = new DoubleDouble();
      return x.map((value) => {
        if (!Number.isFinite(value)) return Number.NaN;
        sum.add(value);
        return sum.hi;
      });
    },
    reach: () => Number.POSITIVE_INFINITY,
  },
};
