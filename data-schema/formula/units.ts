/** The unit of a formula, from those of its series. */

import type { MetricUnit } from "../registry/metrics.ts";
import type { Operator } from "./tokens.ts";

/** The unit of a formula: that of a metric, or a share in per cent. */
export type FormulaUnit = MetricUnit | "share";

/** Exponents of dollars, tokens, counted things and days; null for what has no single unit, such as a sum of tokens and dollars. */
export type Dimension = readonly [usd: number, token: number, count: number, days: number] | null;

const DIMENSIONS: Record<MetricUnit, NonNullable<Dimension>> = {
  usd: [1, 0, 0, 0],
  token: [0, 1, 0, 0],
  usd_per_token: [1, -1, 0, 0],
  count: [0, 0, 1, 0],
  token_days: [0, 1, 0, 1],
  days: [0, 0, 0, 1],
  ratio: [0, 0, 0, 0],
};

export const NUMBER = DIMENSIONS.ratio;

/** A number that is shown in per cent. What is computed from it is a plain number again. */
export const SHARE: Dimension = [...NUMBER];

export const dimensionOf = (unit: FormulaUnit): Dimension => (unit === "share" ? SHARE : DIMENSIONS[unit]);

/** The unit with these dimensions; others, such as dollars per address, are shown as plain numbers, like ratios. */
export function unitOfDimension(dimension: Dimension): FormulaUnit {
  if (dimension === SHARE) return "share";
  const units = Object.entries(DIMENSIONS) as [MetricUnit, Dimension][];
  return units.find(([, other]) => isEqual(other, dimension))?.[0] ?? "ratio";
}

export function combine(operator: Operator, a: Dimension, b: Dimension): Dimension {
  if (a === null || b === null) return null;
  if (operator === "+" || operator === "-") return isEqual(a, b) ? a : null;
  const sign = operator === "*" ? 1 : -1;
  return [a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2], a[3] + sign * b[3]];
}

const isEqual = (a: Dimension, b: Dimension) => a === b || (a !== null && b !== null && a.every((n, i) => n === b[i]));
