/** The code of averages: `sma`, `ema` and `median`. */

import { EMA, MEDIAN, SMA, weight } from "../../../../../data-schema/formula.ts";
import { TS_EXPANDING, TS_MIDDLE, TS_ROLLING, TS_SUM } from "../code-parts.ts";
import { decimal } from "../sql-number.ts";
import type { CodeOfForms } from "./form-code.ts";
import { ALL_ROWS_SO_FAR, lastRows, whereFull } from "./sql-windows.ts";

export const AVERAGES: CodeOfForms = [
  [
    SMA.counted!,
    {
      python: {
        name: "sma",
        text: `def sma(x: pd.Series, n: int) -> pd.Series:
    """x.rolling(n).mean(), with exact sums: a running sum keeps rounding errors of values that have left."""
    return x.rolling(n).apply(lambda window: math.fsum(window) / n, raw=True)`,
      },
      typescript: {
        name: "sma",
        needs: [TS_SUM, TS_ROLLING],
        text: `function sma(x: number[], n: number): number[] {
  return rolling(x, n, (window) => sum(window) / n);
}`,
      },
      sql: { takes: "finite", expression: (x, n) => whereFull(x, n, `favg(${x}) ${lastRows(n)}`) },
    },
  ],
  [
    SMA.whole!,
    {
      python: {
        name: "mean_so_far",
        text: `def mean_so_far(x: pd.Series) -> pd.Series:
    return x.expanding().mean()`,
      },
      typescript: {
        name: "meanSoFar",
        needs: [TS_SUM, TS_EXPANDING],
        text: `function meanSoFar(x: number[]): number[] {
  return expanding(x, (values) => sum(values) / values.length);
}`,
      },
      sql: { takes: "finite", expression: (x) => `favg(${x}) ${ALL_ROWS_SO_FAR}` },
    },
  ],
  [
    EMA.counted!,
    {
      python: {
        name: "ema",
        text: `def ema(x: pd.Series, n: int) -> pd.Series:
    """x.ewm(span=n, adjust=False).mean(); that of pandas 3.0 is another after missing values where n is 3."""
    weight = 1 / (1 + (n - 1) / 2)
    averages, average, old = [], np.nan, 1.0
    for v in x.where(np.isfinite(x)):
        old *= 1 - weight
        if v == v:
            if average != average:
                average = v
            elif average != v:
                average = (old * average + weight * v) / (old + weight)
            old = 1.0
        averages.append(average)
    return pd.Series(averages, x.index)`,
      },
      typescript: {
        name: "ema",
        text: `/** While values are missing, the weight of the average before them falls. */
function ema(x: number[], n: number): number[] {
  const weight = 1 / (1 + (n - 1) / 2);
  let average = NaN;
  let old = 1;
  return x.map((v) => {
    old *= 1 - weight;
    if (!Number.isFinite(v)) return average;
    if (Number.isNaN(average)) average = v;
    else if (average !== v) average = (old * average + weight * v) / (old + weight);
    old = 1;
    return average;
  });
}`,
      },
      sql: {
        takes: "finite",
        // A window can't refer to its own last result, so one pass over the list of all rows makes the list of averages.
        expression: (x, n, table) => {
          const [fresh, kept] = [decimal(weight(n)), decimal(1 - weight(n))];
          return `(
      SELECT list_reduce(
        list([{v: ${x}, old: 1e0}] ORDER BY i),
        lambda done, row: list_append(done, CASE
          WHEN row[1].v IS NULL THEN {v: done[-1].v, old: done[-1].old * ${kept}}
          WHEN done[-1].v IS NULL OR done[-1].v = row[1].v THEN row[1]
          ELSE {
            v: (done[-1].old * ${kept} * done[-1].v + ${fresh} * row[1].v) / (done[-1].old * ${kept} + ${fresh}),
            old: 1e0
          }
        END)
      )
      FROM ${table}
    )[i].v`;
        },
      },
    },
  ],
  [
    MEDIAN.counted!,
    {
      python: {
        name: "median",
        text: `def median(x: pd.Series, n: int) -> pd.Series:
    return x.rolling(n).median()`,
      },
      typescript: {
        name: "median",
        needs: [TS_MIDDLE, TS_ROLLING],
        text: `function median(x: number[], n: number): number[] {
  return rolling(x, n, middle);
}`,
      },
      sql: { takes: "finite", expression: (x, n) => whereFull(x, n, `median(${x}) ${lastRows(n)}`) },
    },
  ],
  [
    MEDIAN.whole!,
    {
      python: {
        name: "median_so_far",
        text: `def median_so_far(x: pd.Series) -> pd.Series:
    return x.expanding().median()`,
      },
      typescript: {
        name: "medianSoFar",
        needs: [TS_MIDDLE, TS_EXPANDING],
        text: `function medianSoFar(x: number[]): number[] {
  return expanding(x, middle);
}`,
      },
      sql: { takes: "finite", expression: (x) => `median(${x}) ${ALL_ROWS_SO_FAR}` },
    },
  ],
];
