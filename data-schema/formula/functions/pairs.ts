/** How two columns go together: `corr`. */

import { expandingCorrelation, rollingCorrelation } from "../windows/window-pairs.ts";
import type { FormulaFunction } from "./function.ts";

export const CORR: FormulaFunction = {
  name: "corr",
  description: "Pearson's correlation of x and y over the last n rows, or all rows so far: −1 to 1.",
  unit: "ratio",
  others: [{ name: "y", takes: "column" }],
  counted: {
    pandas: "x.rolling(n).corr(y)",
    least: 2,
    evaluate: (x, n, [y]) => rollingCorrelation(x, y!, n),
    reach: (n) => n - 1,
    cost: 20,
  },
  whole: {
    pandas: "x.expanding().corr(y)",
    evaluate: (x, _, [y]) => expandingCorrelation(x, y!),
    reach: () => Number.POSITIVE_INFINITY,
    cost: 4,
  },
};
