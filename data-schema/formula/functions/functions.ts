/** The functions of the language. Completion, errors, evaluation, snippets and the docs all follow from this table. */

import { EMA, MEDIAN, SMA } from "./averages.ts";
import { CHANGE, CUMSUM, LAG, PCT, SUM } from "./changes.ts";
import { ABS, EXP, LOG, SQRT } from "./each-row.ts";
import { MAX, MIN, PERCENTILE } from "./extremes.ts";
import type { FormulaFunction } from "./function.ts";
import { SMOOTH } from "./smooth.ts";
import { STD, ZSCORE } from "./spread.ts";

export const FUNCTIONS: readonly FormulaFunction[] = [
  ...[SMA, SMOOTH, EMA, MEDIAN, STD, ZSCORE, MIN, MAX, PERCENTILE],
  ...[CHANGE, PCT, SUM, CUMSUM, LAG],
  ...[ABS, LOG, EXP, SQRT],
];

export const findFunction = (name: string) => FUNCTIONS.find((entry) => entry.name === name);

/** How a call is written: `sma(x, n)`; an argument that may be left out is in square brackets. */
export function signature({ name, counted, whole, quotient }: FormulaFunction): string {
  if (quotient) return `${name}(x, n)`;
  if (!counted) return `${name}(x)`;
  return whole || counted.default !== undefined ? `${name}(x[, n])` : `${name}(x, n)`;
}
