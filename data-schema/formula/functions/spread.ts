/** How far values lie apart: `std` and `zscore`. */

import { deviation, expanding, rolling, standardScore } from "../windows/moments.ts";
import type { FormulaFunction } from "./function.ts";

export const STD: FormulaFunction = {
  name: "std",
  description: "Standard deviation of the last n rows, or of all rows so far, with ddof 1.",
  unit: "same",
  counted: {
    pandas: "x.rolling(n).std()",
    least: 2,
    evaluate: (x, n) => rolling(x, n, "value", deviation),
    reach: (n) => n - 1,
  },
  whole: {
    pandas: "x.expanding().std()",
    evaluate: (x) => expanding(x, "value", deviation),
    reach: () => Number.POSITIVE_INFINITY,
  },
};

export const ZSCORE: FormulaFunction = {
  name: "zscore",
  description: "How many standard deviations a row is from the mean, of the last n rows or of all rows so far.",
  unit: "ratio",
  counted: {
    pandas: "(x - x.rolling(n).mean()) / x.rolling(n).std()",
    least: 2,
    evaluate: (x, n) => rolling(x, n, "value", standardScore),
    reach: (n) => n - 1,
  },
  whole: {
    pandas: "(x - x.expanding().mean()) / x.expanding().std()",
    evaluate: (x) => expanding(x, "value", standardScore),
    reach: () => Number.POSITIVE_INFINITY,
  },
};
