/** The code of `min`, `max`, `quantile` and `percentile`. */

import { MAX, MIN, PERCENTILE, QUANTILE } from "../../../../../data-schema/formula.ts";
import { TS_AT_MOST, TS_EXPANDING, TS_QUANTILE, TS_ROLLING } from "../code-parts.ts";
import type { CodeOfForms, FormCode } from "./form-code.ts";
import { ALL_ROWS_SO_FAR, lastRows, whereFull } from "./sql-windows.ts";

/** The smallest or the largest value, of n rows and of all rows so far. */
const extremes = (name: "min" | "max"): [counted: FormCode, whole: FormCode] => [
  {
    python: {
      name: `rolling_${name}`,
      text: `def rolling_${name}(x: pd.Series, n: int) -> pd.Series:\n    return x.rolling(n).${name}()`,
    },
    typescript: {
      name: `rolling_${name}`,
      needs: [TS_ROLLING],
      text: `function rolling_${name}(x: number[], n: number): number[] {
  return rolling(x, n, (window) => window.reduce((a, b) => Math.${name}(a, b)));
}`,
    },
    sql: { takes: "finite", expression: (x, n) => whereFull(x, n, `${name}(${x}) ${lastRows(n)}`) },
  },
  {
    python: {
      name: `${name}_so_far`,
      text: `def ${name}_so_far(x: pd.Series) -> pd.Series:
    return x.where(np.isfinite(x)).expanding().${name}()`,
    },
    typescript: {
      name: `${name}_so_far`,
      text: `function ${name}_so_far(x: number[]): number[] {
  let found = NaN;
  return x.map((v) => {
    if (Number.isFinite(v)) found = Number.isNaN(found) ? v : Math.${name}(found, v);
    return found;
  });
}`,
    },
    sql: { takes: "finite", expression: (x) => `${name}(${x}) ${ALL_ROWS_SO_FAR}` },
  },
];

const [minOfRows, minOfAll] = extremes("min");
const [maxOfRows, maxOfAll] = extremes("max");

export const EXTREMES: CodeOfForms = [
  [MIN.counted!, minOfRows],
  [MIN.whole!, minOfAll],
  [MAX.counted!, maxOfRows],
  [MAX.whole!, maxOfAll],
  [
    QUANTILE.counted!,
    {
      python: {
        name: "quantile",
        text: `def quantile(x: pd.Series, q: float, n: int) -> pd.Series:
    return x.rolling(n).quantile(q)`,
      },
      typescript: {
        name: "quantile",
        needs: [TS_QUANTILE, TS_ROLLING],
        text: `function quantile(x: number[], q: number[], n: number): number[] {
  return rolling(x, n, (window) => quantileOf(window, q[0]));
}`,
      },
      sql: {
        takes: "finite",
        expression: (x, n, _, [q]) => whereFull(x, n, `quantile_cont(${x}, ${q}) ${lastRows(n)}`),
      },
    },
  ],
  [
    QUANTILE.whole!,
    {
      python: {
        name: "quantile_so_far",
        text: `def quantile_so_far(x: pd.Series, q: float) -> pd.Series:
    return x.where(np.isfinite(x)).expanding().quantile(q)`,
      },
      typescript: {
        name: "quantileSoFar",
        needs: [TS_QUANTILE, TS_EXPANDING],
        text: `function quantileSoFar(x: number[], q: number[]): number[] {
  return expanding(x, (values) => quantileOf(values, q[0]));
}`,
      },
      sql: { takes: "finite", expression: (x, _n, _table, [q]) => `quantile_cont(${x}, ${q}) ${ALL_ROWS_SO_FAR}` },
    },
  ],
  [
    PERCENTILE.counted!,
    {
      python: {
        name: "percentile",
        text: `def percentile(x: pd.Series, n: int) -> pd.Series:
    return x.rolling(n).rank(method="max", pct=True)`,
      },
      typescript: {
        name: "percentile",
        needs: [TS_AT_MOST, TS_ROLLING],
        text: `function percentile(x: number[], n: number): number[] {
  return rolling(x, n, shareAtMost);
}`,
      },
      sql: {
        takes: "finite",
        expression: (x, n) => whereFull(x, n, `len([v FOR v IN list(${x}) ${lastRows(n)} IF v <= ${x}]) / ${n}`),
      },
    },
  ],
  [
    PERCENTILE.whole!,
    {
      python: {
        name: "percentile_so_far",
        text: `def percentile_so_far(x: pd.Series) -> pd.Series:
    x = x.where(np.isfinite(x))
    return x.expanding().rank(method="max", pct=True)`,
      },
      typescript: {
        name: "percentileSoFar",
        needs: [TS_AT_MOST, TS_EXPANDING],
        text: `function percentileSoFar(x: number[]): number[] {
  return expanding(x, shareAtMost).map((share, i) => (Number.isFinite(x[i]) ? share : NaN));
}`,
      },
      sql: {
        takes: "finite",
        expression: (x) =>
          `CASE WHEN ${x} IS NOT NULL THEN len([v FOR v IN list(${x}) ${ALL_ROWS_SO_FAR} IF v <= ${x}]) / count(${x}) ${ALL_ROWS_SO_FAR} END`,
      },
    },
  ],
];
