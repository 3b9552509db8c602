/** Where values stand among others: `min`, `max`, `quantile` and `percentile`. */

import { expandingRanked, quantile, rollingRanked, shareAtMost } from "../windows/ranked.ts";
import { expandingExtreme, isLarger, isSmaller, rollingExtreme } from "../windows/window-extremes.ts";
import type { FormulaFunction } from "./function.ts";

const ALL = () => Number.POSITIVE_INFINITY;

export const MIN: FormulaFunction = {
  name: "min",
  description: "The smallest of the last n rows, or of all rows so far.",
  unit: "same",
  counted: {
    pandas: "x.rolling(n).min()",
    least: 1,
    evaluate: (x, n) => rollingExtreme(x, n, isSmaller),
    reach: (n) => n - 1,
  },
  whole: { pandas: "x.expanding().min()", evaluate: (x) => expandingExtreme(x, isSmaller), reach: ALL },
};

export const MAX: FormulaFunction = {
  name: "max",
  description: "The largest of the last n rows, or of all rows so far.",
  unit: "same",
  counted: {
    pandas: "x.rolling(n).max()",
    least: 1,
    evaluate: (x, n) => rollingExtreme(x, n, isLarger),
    reach: (n) => n - 1,
  },
  whole: { pandas: "x.expanding().max()", evaluate: (x) => expandingExtreme(x, isLarger), reach: ALL },
};

export const QUANTILE: FormulaFunction = {
  name: "quantile",
  description: "The value below which a share q of the last n rows lies, or of all rows so far; linear between two.",
  unit: "same",
  others: [{ name: "q", takes: "share" }],
  counted: {
    pandas: "x.rolling(n).quantile(q)",
    least: 1,
    evaluate: (x, n, [q]) => rollingRanked(x, n, quantile(q![0]!)),
    reach: (n) => n - 1,
    cost: 4,
  },
  whole: {
    pandas: "x.expanding().quantile(q)",
    evaluate: (x, _, [q]) => expandingRanked(x, quantile(q![0]!)),
    reach: ALL,
    cost: 4,
  },
};

export const PERCENTILE: FormulaFunction = {
  name: "percentile",
  description: "The share of the last n rows, or of all rows so far, that are at most this one: 0 to 1.",
  unit: "share",
  counted: {
    pandas: 'x.rolling(n).rank(method="max", pct=True)',
    least: 1,
    evaluate: (x, n) => rollingRanked(x, n, shareAtMost),
    reach: (n) => n - 1,
    cost: 4,
  },
  whole: {
    pandas: 'x.expanding().rank(method="max", pct=True)',
    evaluate: (x) => expandingRanked(x, shareAtMost),
    reach: ALL,
    cost: 4,
  },
};
