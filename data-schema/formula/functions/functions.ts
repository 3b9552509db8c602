/** The functions of the language. Completion, errors, evaluation, snippets and the docs all follow from this table. */

import { EMA, MEDIAN, SMA } from "./averages.ts";
import { CHANGE, CUMSUM, LAG, PCT, SUM } from "./changes.ts";
import { IF } from "./choice.ts";
import { ABS, EXP, LOG, SQRT } from "./each-row.ts";
import { MAX, MIN, PERCENTILE, QUANTILE } from "./extremes.ts";
import type { FormulaFunction } from "./function.ts";
import { INDEX } from "./indexed.ts";
import { CORR } from "./pairs.ts";
import { SMOOTH } from "./smooth.ts";
import { STD, ZSCORE } from "./spread.ts";

export const FUNCTIONS: readonly FormulaFunction[] = [
  ...[SMA, SMOOTH, EMA, MEDIAN, QUANTILE, STD, ZSCORE, MIN, MAX, PERCENTILE, CORR],
  ...[CHANGE, PCT, INDEX, SUM, CUMSUM, LAG],
  ...[ABS, LOG, EXP, SQRT, IF],
];

export const findFunction = (name: string) => FUNCTIONS.find((entry) => entry.name === name);

/** How a call is written: `sma(x, n)`; an argument that may be left out is in square brackets. */
export function signature({ name, counted, whole, dated, quotient, comparison, others = [] }: FormulaFunction): string {
  const given = [comparison ? "a < b" : "x", ...others.map((other) => other.name)].join(", ");
  if (dated) return `${name}(${given}[, "2024-01-01"])`;
  if (!counted && !quotient) return `${name}(${given})`;
  return whole || counted?.default !== undefined ? `${name}(${given}[, n])` : `${name}(${given}, n)`;
}
