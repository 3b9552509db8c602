/** What is made of each row by itself: `abs`, `log`, `exp` and `sqrt`. */

import type { FormulaFunction } from "./function.ts";

const ofRow = (
  name: string,
  description: string,
  unit: FormulaFunction["unit"],
  pandas: string,
  apply: (value: number) => number,
): FormulaFunction => ({
  name,
  description,
  unit,
  whole: { pandas, evaluate: (x) => x.map((value) => apply(value)), reach: () => 0 },
});

export const ABS = ofRow("abs", "The value without its sign.", "same", "x.abs()", Math.abs);
export const LOG = ofRow("log", "The natural logarithm.", "ratio", "np.log(x)", Math.log);
export const EXP = ofRow("exp", "e to the power of the value.", "ratio", "np.exp(x)", Math.exp);
export const SQRT = ofRow("sqrt", "The square root.", "ratio", "np.sqrt(x)", Math.sqrt);
