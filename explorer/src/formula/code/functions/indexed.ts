/** The code of `index`. */

import { INDEX } from "../../../../../data-schema/formula.ts";
import { isoTimeWithoutZone } from "../../../../../data-schema/text.ts";
import type { CodeOfForms } from "./form-code.ts";

/** A column in percent of the first of its values that fulfil a condition. */
const indexed = (x: string, table: string, condition: string) =>
  `100 * ${x} / (SELECT first(${x} ORDER BY i) FROM ${table} WHERE ${x} IS NOT NULL${condition})`;

export const INDEXED: CodeOfForms = [
  [
    INDEX.whole!,
    {
      python: {
        name: "index_first",
        text: `def index_first(x: pd.Series) -> pd.Series:
    x = x.where(np.isfinite(x))
    return 100 * x / x.bfill().iloc[0]`,
      },
      typescript: {
        name: "indexFirst",
        text: `function indexFirst(x: number[]): number[] {
  const base = x.find(Number.isFinite) ?? NaN;
  return x.map((v) => (100 * v) / base);
}`,
      },
      sql: { takes: "finite", expression: (x, _, table) => indexed(x, table, "") },
    },
  ],
  [
    INDEX.dated!,
    {
      python: {
        name: "index_since",
        text: `def index_since(x: pd.Series, since: str) -> pd.Series:
    x = x.where(np.isfinite(x))
    base = x[x.index.get_level_values("t") >= since].dropna()
    return 100 * x / (base.iloc[0] if len(base) > 0 else np.nan)`,
      },
      typescript: {
        name: "indexSince",
        text: `function indexSince(x: number[], since: number, t: number[]): number[] {
  const base = x.find((v, i) => t[i] >= since && Number.isFinite(v)) ?? NaN;
  return x.map((v) => (100 * v) / base);
}`,
      },
      sql: {
        takes: "finite",
        expression: (x, n, table) => indexed(x, table, ` AND t >= '${isoTimeWithoutZone(n)}'`),
      },
    },
  ],
];
