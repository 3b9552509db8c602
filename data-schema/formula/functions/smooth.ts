/** A ratio over several rows: `smooth`. */

import type { FormulaFunction } from "./function.ts";

export const SMOOTH: FormulaFunction = {
  name: "smooth",
  description: "A ratio over the last n rows: the sum of its numerators by that of its denominators.",
  unit: "same",
  quotient: { pandas: "a.rolling(n).sum() / b.rolling(n).sum()", least: 1 },
};
