/** The code of changes and sums: `change`, `pct`, `lag`, `sum` and `cumsum`. */

import { CHANGE, CUMSUM, LAG, PCT, SUM } from "../../../../../data-schema/formula.ts";
import { TS_EXPANDING, TS_ROLLING, TS_SUM } from "../code-parts.ts";
import type { CodeOfForms } from "./form-code.ts";
import { ALL_ROWS_SO_FAR, earlierRow, lastRows, whereFull } from "./sql-windows.ts";

export const CHANGES: CodeOfForms = [
  [
    CHANGE.counted!,
    {
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
  ],
  [
    PCT.counted!,
    {
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
  ],
  [
    LAG.counted!,
    {
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
  ],
  [
    SUM.counted!,
    {
      python: {
        name: "rolling_sum",
        text: `def rolling_sum(x: pd.Series, n: int) -> pd.Series:
    """x.rolling(n).sum(), with exact sums: a running sum keeps rounding errors of values that have left."""
    return x.rolling(n).apply(math.fsum, raw=True)`,
      },
      typescript: {
        name: "rollingSum",
        needs: [TS_SUM, TS_ROLLING],
        text: `function rollingSum(x: number[], n: number): number[] {
  return rolling(x, n, sum);
}`,
      },
      sql: { takes: "finite", expression: (x, n) => whereFull(x, n, `fsum(${x}) ${lastRows(n)}`) },
    },
  ],
  [
    SUM.whole!,
    {
      python: {
        name: "sum_so_far",
        text: `def sum_so_far(x: pd.Series) -> pd.Series:
    return x.where(np.isfinite(x)).expanding().sum()`,
      },
      typescript: {
        name: "sumSoFar",
        needs: [TS_SUM, TS_EXPANDING],
        text: `function sumSoFar(x: number[]): number[] {
  return expanding(x, sum);
}`,
      },
      sql: { takes: "finite", expression: (x) => `fsum(${x}) ${ALL_ROWS_SO_FAR}` },
    },
  ],
  [
    CUMSUM.whole!,
    {
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
  ],
];
