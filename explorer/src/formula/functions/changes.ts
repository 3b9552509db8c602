/** From row to row: `change`, `pct`, `lag` and `cumsum`. */

import { DoubleDouble } from "../windows/double-double.ts";
import type { FormulaFunction } from "./function.ts";

/** A value of each row and the one n rows before it; NaN in the first n rows. */
function withEarlier(x: Float64Array, n: number, compare: (value: number, earlier: number) => number): Float64Array {
  return x.map((value, row) => (row < n ? Number.NaN : compare(value, x[row - n]!)));
}

const earlierRow = (x: string, n: number) => `lag(${x}, ${n}) OVER (ORDER BY i)`;

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
    python: {
      name: "change",
      text: `def change(x: pd.Series, n: int) -> pd.Series:
    return x.diff(n)`,
    },
    typescript: {
      name: "change",
      text: `function change(x: number[], n: number): number[] {
  return x.map((v, i) => (i < n ? NaN : v - x[i - n]));
}`,
    },
    sql: { takes: "any", expression: (x, n) => `${x} - ${earlierRow(x, n)}` },
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
    python: {
      name: "pct",
      text: `def pct(x: pd.Series, n: int) -> pd.Series:
    return x.pct_change(n, fill_method=None)`,
    },
    typescript: {
      name: "pct",
      text: `function pct(x: number[], n: number): number[] {
  return x.map((v, i) => (i < n ? NaN : v / x[i - n] - 1));
}`,
    },
    sql: { takes: "any", expression: (x, n) => `${x} / ${earlierRow(x, n)} - 1` },
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
    python: {
      name: "lag",
      text: `def lag(x: pd.Series, n: int) -> pd.Series:
    return x.shift(n)`,
    },
    typescript: {
      name: "lag",
      text: `function lag(x: number[], n: number): number[] {
  return x.map((_, i) => (i < n ? NaN : x[i - n]));
}`,
    },
    sql: { takes: "any", expression: earlierRow },
  },
};

export const CUMSUM: FormulaFunction = {
  name: "cumsum",
  description: "The sum of all rows so far.",
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
    python: {
      name: "cumsum",
      text: `def cumsum(x: pd.Series) -> pd.Series:
    """x.cumsum(), compensated (Neumaier): rounding errors are added up, too."""
    sums, total, lost = [], 0.0, 0.0
    for v in x.where(np.isfinite(x)):
        if v == v:
            new = total + v
            lost += total - new + v if abs(total) >= abs(v) else v - new + total
            total = new
        sums.append(total + lost if v == v else np.nan)
    return pd.Series(sums, x.index)`,
    },
    typescript: {
      name: "cumsum",
      text: `/** Compensated (Neumaier): rounding errors are added up, too. */
function cumsum(x: number[]): number[] {
  let total = 0;
  let lost = 0;
  return x.map((v) => {
    if (!Number.isFinite(v)) return NaN;
    const next = total + v;
    lost += Math.abs(total) >= Math.abs(v) ? total - next + v : v - next + total;
    total = next;
    return total + lost;
  });
}`,
    },
    sql: {
      takes: "finite",
      expression: (x) => `CASE WHEN ${x} IS NOT NULL THEN fsum(${x}) OVER (ORDER BY i) END`,
    },
  },
};
