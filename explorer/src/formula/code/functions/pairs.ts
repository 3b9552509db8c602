/** The code of correlations: `corr`. */

import { CORR } from "../../../../../data-schema/formula.ts";
import { PY_CORRELATION, TS_CORRELATION } from "../code-parts.ts";
import type { CodeOfForms } from "./form-code.ts";
import { ALL_ROWS_SO_FAR, lastRows, whereFull } from "./sql-windows.ts";

/** DuckDB: a value if there is one beside it, too. */
const beside = (x: string, y: string) => `CASE WHEN isfinite(${y}) THEN ${x} END`;

export const PAIRS: CodeOfForms = [
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
];
