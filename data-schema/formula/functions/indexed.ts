/** What was worth 100 at a date: `index`. */

import type { FormulaFunction } from "./function.ts";

/** 100 at the first row from a time on that has a value. */
function indexed(x: Float64Array, since: number, t: Float64Array): Float64Array {
  const base = x.find((value, row) => t[row]! >= since && Number.isFinite(value)) ?? Number.NaN;
  return x.map((value) => (Number.isFinite(value) ? (100 * value) / base : Number.NaN));
}

const ALL = () => Number.POSITIVE_INFINITY;

export const INDEX: FormulaFunction = {
  name: "index",
  description: "In percent of the first value, or of the first one at or after a date: there it is 100.",
  unit: "ratio",
  whole: {
    pandas: "100 * x / x.dropna().iloc[0]",
    evaluate: (x, _n, _others, t) => indexed(x, Number.NEGATIVE_INFINITY, t),
    reach: ALL,
  },
  dated: {
    pandas: "100 * x / x[date:].dropna().iloc[0]",
    takesTime: true,
    evaluate: (x, since, _, t) => indexed(x, since, t),
    reach: ALL,
  },
};
