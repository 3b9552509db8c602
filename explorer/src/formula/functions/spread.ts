/** How far values lie apart: `std` and `zscore`. */

import { deviation, expanding, rolling, standardScore } from "../windows/moments.ts";
import { ALL_ROWS_SO_FAR, type FormulaFunction, lastRows, whereFull } from "./function.ts";
import { PY_FROM_FIRST, TS_EXPANDING, TS_ROLLING, TS_SCORE, TS_STD } from "./parts.ts";

/** DuckDB: the differences of the last n values from the latest. */
const differences = (x: string, n: number) => `[v - ${x} FOR v IN list(${x}) ${lastRows(n)}]`;

/** DuckDB: a value's difference from the first one. */
const fromFirst = (x: string, table: string) =>
  `${x} - (SELECT first(${x} ORDER BY i) FILTER (${x} IS NOT NULL) FROM ${table})`;

export const STD: FormulaFunction = {
  name: "std",
  description: "Standard deviation of the last n rows, or of all rows so far, with ddof 1.",
  unit: "same",
  counted: {
    pandas: "x.rolling(n).std()",
    least: 2,
    evaluate: (x, n) => rolling(x, n, "value", deviation),
    reach: (n) => n - 1,
    python: {
      name: "std",
      text: `def std(x: pd.Series, n: int) -> pd.Series:
    """x.rolling(n).std(), from each window's own values: a running sum keeps rounding errors of values that have left."""
    return x.rolling(n).apply(lambda window: np.std(window - window[-1], ddof=1), raw=True)`,
    },
    typescript: {
      name: "std",
      needs: [TS_STD, TS_ROLLING],
      text: `function std(x: number[], n: number): number[] {
  return rolling(x, n, deviation);
}`,
    },
    sql: { takes: "finite", expression: (x, n) => whereFull(x, n, `list_stddev_samp(${differences(x, n)})`) },
  },
  whole: {
    pandas: "x.expanding().std()",
    evaluate: (x) => expanding(x, "value", deviation),
    reach: () => Number.POSITIVE_INFINITY,
    python: {
      name: "std_so_far",
      needs: [PY_FROM_FIRST],
      text: `def std_so_far(x: pd.Series) -> pd.Series:
    return from_first(x).expanding().std()`,
    },
    typescript: {
      name: "stdSoFar",
      needs: [TS_STD, TS_EXPANDING],
      text: `function stdSoFar(x: number[]): number[] {
  return expanding(x, deviation);
}`,
    },
    sql: { takes: "finite", expression: (x, _, table) => `stddev_samp(${fromFirst(x, table)}) ${ALL_ROWS_SO_FAR}` },
  },
};

export const ZSCORE: FormulaFunction = {
  name: "zscore",
  description: "How many standard deviations a row is from the mean, of the last n rows or of all rows so far.",
  unit: "ratio",
  counted: {
    pandas: "(x - x.rolling(n).mean()) / x.rolling(n).std()",
    least: 2,
    evaluate: (x, n) => rolling(x, n, "value", standardScore),
    reach: (n) => n - 1,
    python: {
      name: "zscore",
      text: `def zscore(x: pd.Series, n: int) -> pd.Series:
    """(x - x.rolling(n).mean()) / x.rolling(n).std(), from each window's own values."""

    def score(window: np.ndarray) -> float:
        d = window - window[-1]
        deviation = np.std(d, ddof=1)
        return -math.fsum(d) / n / deviation if deviation > 0 else np.nan

    return x.rolling(n).apply(score, raw=True)`,
    },
    typescript: {
      name: "zscore",
      needs: [TS_SCORE, TS_ROLLING],
      text: `function zscore(x: number[], n: number): number[] {
  return rolling(x, n, score);
}`,
    },
    sql: {
      takes: "finite",
      expression: (x, n) => {
        const d = differences(x, n);
        return whereFull(x, n, `-list_aggregate(${d}, 'favg') / list_stddev_samp(${d})`);
      },
    },
  },
  whole: {
    pandas: "(x - x.expanding().mean()) / x.expanding().std()",
    evaluate: (x) => expanding(x, "value", standardScore),
    reach: () => Number.POSITIVE_INFINITY,
    python: {
      name: "zscore_so_far",
      needs: [PY_FROM_FIRST],
      text: `def zscore_so_far(x: pd.Series) -> pd.Series:
    d = from_first(x)
    return (d - d.expanding().mean()) / d.expanding().std()`,
    },
    typescript: {
      name: "zscoreSoFar",
      needs: [TS_SCORE, TS_EXPANDING],
      text: `function zscoreSoFar(x: number[]): number[] {
  return expanding(x, score).map((z, i) => (Number.isFinite(x[i]) ? z : NaN));
}`,
    },
    sql: {
      takes: "finite",
      expression: (x, _, table) => {
        const d = fromFirst(x, table);
        return `(${d} - favg(${d}) ${ALL_ROWS_SO_FAR}) / stddev_samp(${d}) ${ALL_ROWS_SO_FAR}`;
      },
    },
  },
};
