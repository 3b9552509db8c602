/** The code of `std` and `zscore`. */

import { STD, ZSCORE } from "../../../../../data-schema/formula.ts";
import { PY_FROM_FIRST, TS_EXPANDING, TS_ROLLING, TS_SCORE, TS_STD } from "../code-parts.ts";
import type { CodeOfForms } from "./form-code.ts";
import { ALL_ROWS_SO_FAR, differences, fromFirst, whereFull } from "./sql-windows.ts";

export const SPREAD: CodeOfForms = [
  [
    STD.counted!,
    {
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
  ],
  [
    STD.whole!,
    {
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
  ],
  [
    ZSCORE.counted!,
    {
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
  ],
  [
    ZSCORE.whole!,
    {
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
  ],
];
