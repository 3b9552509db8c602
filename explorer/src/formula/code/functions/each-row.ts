/** The code of functions that look at each row by itself: `abs`, `log`, `exp` and `sqrt`. */

import { ABS, EXP, LOG, SQRT } from "../../../../../data-schema/formula.ts";
import type { CodeOfForms, FormCode, Sql } from "./form-code.ts";

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

export const EACH_ROW: CodeOfForms = [
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
];
