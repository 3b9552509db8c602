/** The part of an axis that the values of ratios and flows need. A few extreme ones would flatten all others. */

import type { Scale } from "../../state/chart-state.ts";

/** Between these shares of the values, in order of size, lies what the axis must show. */
const CORE = [0.01, 0.99] as const;
/** How far the axis may reach beyond that, as a part of it. */
const MARGIN = 0.25;
/** An end of the values that is nearer to the fence than this, as a part of what is within, is shown. */
const NEAR = 1;
/** Values that are sorted: more would take longer and change nothing that one could see. */
const MOST_VALUES = 20_000;

/**
 * The least and the greatest value that an axis shows; values beyond them are outliers. On a log axis, distances are
 * those of logarithms. Null without values.
 *
 * @param columns the values of each line; missing ones are not numbers
 * @param rows [from, to) of what is visible
 */
export function fences(
  columns: readonly (number | null | undefined)[][],
  rows: { from: number; to: number },
  scale: Scale,
): { min: number; max: number } | null {
  const step = Math.max(1, Math.ceil(((rows.to - rows.from) * columns.length) / MOST_VALUES));
  const sample: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const column of columns) {
    for (let row = rows.from; row < rows.to; row++) {
      const value = column[row];
      if (value === null || value === undefined || (scale === "log" && value <= 0)) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
      // A flow of 0 means that nothing has happened, which may be so on most days.
      if (row % step === 0 && value !== 0) sample.push(value);
    }
  }
  if (sample.length === 0) return least <= most ? { min: least, max: most } : null;
  const sorted = Float64Array.from(sample).sort();
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  const [inner, outer] = [at(CORE[0]), at(CORE[1])];
  if (scale === "log") {
    const reach = (outer / inner) ** MARGIN;
    return { min: Math.max(least, inner / reach), max: Math.min(most, outer * reach) };
  }
  const reach = (outer - inner) * MARGIN;
  const [min, max] = [inner - reach, outer + reach];
  const near = (max - min) * NEAR;
  return { min: least > min - near ? least : min, max: most < max + near ? most : max };
}

/** How many visible values lie beyond the fences. */
export function countOutside(
  columns: readonly (number | null | undefined)[][],
  rows: { from: number; to: number },
  limits: { min: number; max: number } | null,
): number {
  let count = 0;
  for (const column of limits ? columns : []) {
    for (let row = rows.from; row < rows.to; row++) {
      const value = column[row];
      if (value !== null && value !== undefined && (value < limits!.min || value > limits!.max)) count++;
    }
  }
  return count;
}
