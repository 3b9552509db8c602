/** The code of `if`. */

import { CHOICES, type Comparison, type FunctionForm } from "../../../../../data-schema/formula.ts";
import type { CodeOfForms, FormCode } from "./form-code.ts";

/** One value or another: the difference of what is compared is below 0, or not. */
const choice = (comparison: Comparison): [FunctionForm, FormCode] => {
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

export const CHOICE: CodeOfForms = [choice("<"), choice("<="), choice(">"), choice(">=")];
