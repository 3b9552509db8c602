/** How snippets write the functions of the language, form by form. */

import { EMA, MEDIAN, SMA, weight } from "../../../../data-schema/formula/functions/averages.ts";
import { CHANGE, CUMSUM, LAG, PCT, SUM } from "../../../../data-schema/formula/functions/changes.ts";
import { CHOICES, type Comparison } from "../../../../data-schema/formula/functions/choice.ts";
import { ABS, EXP, LOG, SQRT } from "../../../../data-schema/formula/functions/each-row.ts";
import { MAX, MIN, PERCENTILE, QUANTILE } from "../../../../data-schema/formula/functions/extremes.ts";
import type { Form } from "../../../../data-schema/formula/functions/function.ts";
import { CORR } from "../../../../data-schema/formula/functions/pairs.ts";
import { STD, ZSCORE } from "../../../../data-schema/formula/functions/spread.ts";
import {
  type Code,
  PY_CORRELATION,
  PY_FROM_FIRST,
  TS_AT_MOST,
  TS_CORRELATION,
  TS_EXPANDING,
  TS_MIDDLE,
  TS_QUANTILE,
  TS_ROLLING,
  TS_SCORE,
  TS_STD,
  TS_SUM,
} from "./parts.ts";
import { decimal } from "./sql-number.ts";

/** Functions that snippets define and call: of the column and, if the form is counted, n. */
interface FormCode {
  python: Code;
  typescript: Code;
  sql: Sql;
}

interface Sql {
  /** Whether the column that it takes is null where a value is infinite. */
  takes: "finite" | "any";
  /**
   * An expression for DuckDB. Null stands for a missing value.
   *
   * @param x a column of `table`, whose column `i` numbers the rows from 1
   * @param others what stands beside it: columns, or numbers
   */
  expression(x: string, n: number, table: string, others: readonly string[]): string;
}

/** DuckDB: the last n rows. */
const lastRows = (n: number) => `OVER (ORDER BY i ROWS ${n - 1} PRECEDING)`;

/** DuckDB: an expression where none of the last n values is missing. */
const whereFull = (x: string, n: number, expression: string) =>
  `CASE WHEN count(${x}) ${lastRows(n)} = ${n} THEN ${expression} END`;

const ALL_ROWS_SO_FAR = "OVER (ORDER BY i)";

/** DuckDB: the value n rows before. */
const earlierRow = (x: string, n: number) => `lag(${x}, ${n}) OVER (ORDER BY i)`;

/** DuckDB: the differences of the last n values from the latest. */
const differences = (x: string, n: number) => `[v - ${x} FOR v IN list(${x}) ${lastRows(n)}]`;

/** DuckDB: a value's difference from the first one. */
const fromFirst = (x: string, table: string) =>
  `${x} - (SELECT first(${x} ORDER BY i) FILTER (${x} IS NOT NULL) FROM ${table})`;

/** A function that looks at each row by itself. */
const eachRow = (name: string, python: string, typescript: string, sql: Sql["expression"]): FormCode => ({
  python: {
    name: `${name}_of`,
    text: `def ${name}_of(x: pd.Series) -> pd.Series:
    with np.errstate(all="ignore"):
        return ${python}`,
  },
  typescript: {
    name: `${name}Of`,
    text: `function ${name}Of(x: number[]): number[] {\n  return x.map((v) => ${typescript});\n}`,
  },
  sql: { takes: "any", expression: sql },
});

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

/** One value or another: the difference of what is compared is below 0, or not. */
const choice = (comparison: Comparison): [Form, FormCode] => {
  const word = { "<": "below", "<=": "at_most", ">": "above", ">=": "at_least" }[comparison];
  return [
    CHOICES[comparison],
    {
      python: {
        name: `if_${word}_0`,
        text: `def if_${word}_0(d: pd.Series, x, y) -> pd.Series:
    return pd.Series(np.where(d ${comparison} 0, x, y), d.index).where(d.notna())`,
      },
      typescript: {
        name: `if_${word}_0`,
        text: `function if_${word}_0(d: number[], x: number[], y: number[]): number[] {
  return d.map((v, i) => (Number.isNaN(v) ? NaN : v ${comparison} 0 ? x[i] : y[i]));
}`,
      },
      sql: {
        takes: "any",
        expression: (d, _n, _table, [x, y]) =>
          `CASE WHEN isnan(${d}) THEN NULL WHEN ${d} ${comparison} 0 THEN ${x} WHEN ${d} IS NOT NULL THEN ${y} END`,
      },
    },
  ];
};

/** DuckDB: a value if there is one beside it, too. */
const beside = (x: string, y: string) => `CASE WHEN isfinite(${y}) THEN ${x} END`;

const CODE: ReadonlyMap<Form, FormCode> = new Map<Form, FormCode>([
  choice("<"),
  choice("<="),
  choice(">"),
  choice(">="),
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
    CORR.counted!,
    {
      python: {
        name: "corr",
        needs: [PY_CORRELATION],
        text: `def corr(x: pd.Series, y: pd.Series, n: int) -> pd.Series:
    """x.rolling(n).corr(y), from each window's own values."""
    pairs = np.column_stack([x, y])
    windows = [pairs[max(0, end - n) : end] for end in range(1, len(pairs) + 1)]
    return pd.Series([correlation(w) if len(w) == n and np.isfinite(w).all() else np.nan for w in windows], x.index)`,
      },
      typescript: {
        name: "corr",
        needs: [TS_CORRELATION],
        text: `function corr(x: number[], y: number[], n: number): number[] {
  return x.map((_, i) => {
    const [a, b] = [x, y].map((v) => v.slice(Math.max(0, i + 1 - n), i + 1));
    return a.length === n && [...a, ...b].every(Number.isFinite) ? correlation(a, b) : NaN;
  });
}`,
      },
      sql: {
        takes: "finite",
        expression: (x, n, _, [y]) => whereFull(beside(x, y!), n, `corr(${x}, ${y}) ${lastRows(n)}`),
      },
    },
  ],
  [
    CORR.whole!,
    {
      python: {
        name: "corr_so_far",
        needs: [PY_CORRELATION],
        text: `def corr_so_far(x: pd.Series, y: pd.Series) -> pd.Series:
    pairs = np.column_stack([x, y])
    known = np.isfinite(pairs).all(axis=1)
    return pd.Series([correlation(pairs[:end][known[:end]]) for end in range(1, len(pairs) + 1)], x.index)`,
      },
      typescript: {
        name: "corrSoFar",
        needs: [TS_CORRELATION],
        text: `function corrSoFar(x: number[], y: number[]): number[] {
  const [a, b]: number[][] = [[], []];
  return x.map((v, i) => {
    if (Number.isFinite(v) && Number.isFinite(y[i])) {
      a.push(v);
      b.push(y[i]);
    }
    return correlation(a, b);
  });
}`,
      },
      sql: { takes: "finite", expression: (x, _n, _table, [y]) => `corr(${x}, ${beside(y!, y!)}) ${ALL_ROWS_SO_FAR}` },
    },
  ],
  [MIN.counted!, minOfRows],
  [MIN.whole!, minOfAll],
  [MAX.counted!, maxOfRows],
  [MAX.whole!, maxOfAll],
  [ABS.whole!, eachRow("abs", "x.abs()", "Math.abs(v)", (x) => `abs(${x})`)],
  [EXP.whole!, eachRow("exp", "np.exp(x)", "Math.exp(v)", (x) => `exp(${x})`)],
  // DuckDB refuses what others call NaN or infinite.
  [
    LOG.whole!,
    eachRow(
      "log",
      "np.log(x)",
      "Math.log(v)",
      (x) => `CASE WHEN ${x} > 0 THEN ln(${x}) WHEN ${x} = 0 THEN '-Infinity'::DOUBLE END`,
    ),
  ],
  [SQRT.whole!, eachRow("sqrt", "np.sqrt(x)", "Math.sqrt(v)", (x) => `CASE WHEN ${x} >= 0 THEN sqrt(${x}) END`)],
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
]);

/** @throws {Error} a form that has none */
export function codeOf(form: Form): FormCode {
  const code = CODE.get(form);
  if (code === undefined) throw new Error(`no code of ${form.pandas}`);
  return code;
}
