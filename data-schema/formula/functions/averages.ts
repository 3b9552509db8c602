/** Averages: `sma`, `ema` and `median`. */

import { expanding, mean, rolling } from "../windows/moments.ts";
import { expandingRanked, median, rollingRanked } from "../windows/ranked.ts";
import type { FormulaFunction } from "./function.ts";

export const SMA: FormulaFunction = {
  name: "sma",
  description: "Simple moving average: the mean of the last n rows, or of all rows so far.",
  unit: "same",
  isAverage: true,
  counted: {
    pandas: "x.rolling(n).mean()",
    least: 1,
    evaluate: (x, n) => rolling(x, n, "zero", mean),
    reach: (n) => n - 1,
  },
  whole: {
    pandas: "x.expanding().mean()",
    evaluate: (x) => expanding(x, "zero", mean),
    reach: () => Number.POSITIVE_INFINITY,
  },
};

/** pandas' weight of a new value. */
export const weight = (n: number) => 1 / (1 + (n - 1) / 2);

export const EMA: FormulaFunction = {
  name: "ema",
  description: "Exponential moving average: each row keeps (n − 1)/(n + 1) of the average before it.",
  unit: "same",
  isAverage: true,
  counted: {
    pandas: "x.ewm(span=n, adjust=False).mean()",
    least: 1,
    evaluate: exponentialAverage,
    reach: () => Number.POSITIVE_INFINITY,
  },
};

function exponentialAverage(x: Float64Array, n: number): Float64Array {
  const fresh = weight(n);
  let average = Number.NaN;
  let old = 1;
  return x.map((value) => {
    // While values are missing, the weight of the average before them falls.
    old *= 1 - fresh;
    if (!Number.isFinite(value)) return average;
    if (Number.isNaN(average)) average = value;
    // An average of equal values has their value exactly, as in pandas.
    else if (average !== value) average = (old * average + fresh * value) / (old + fresh);
    old = 1;
    return average;
  });
}

export const MEDIAN: FormulaFunction = {
  name: "median",
  description: "The median of the last n rows, or of all rows so far.",
  unit: "same",
  isAverage: true,
  counted: {
    pandas: "x.rolling(n).median()",
    least: 1,
    evaluate: (x, n) => rollingRanked(x, n, median),
    reach: (n) => n - 1,
    cost: 4,
  },
  whole: {
    pandas: "x.expanding().median()",
    evaluate: (x) => expandingRanked(x, median),
    reach: () => Number.POSITIVE_INFINITY,
    cost: 4,
  },
};
