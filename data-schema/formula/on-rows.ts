/** A formula's values on the rows of a table, which may have rows of other series, too. */

import { evaluate } from "./evaluate.ts";
import type { Computation } from "./resolve.ts";

/**
 * Puts the values of a formula into a column. A formula counts the rows in which one of its series has a point, whatever
 * else the table has.
 *
 * @param into NaN where there is no finite value; its first row is the table's row `from`
 * @param t the times of all rows, Unix seconds
 * @param inputs the formula's series on all rows; NaN where one has no point. They stay as they are
 */
export function computeOnRows(
  into: Float64Array,
  formula: Computation,
  t: Float64Array,
  inputs: readonly Float64Array[],
  from = 0,
): void {
  const { length } = t;
  const rows = new Int32Array(formula.reach > 0 ? length : 0);
  let count = 0;
  for (let row = 0; row < rows.length; row++) {
    if (inputs.some((input) => !Number.isNaN(input[row]))) rows[count++] = row;
  }
  // Without rows to leave out, the columns are as they are.
  const isWhole = formula.reach === 0 || count === length;
  const own = isWhole
    ? inputs
    : inputs.map((input) => Float64Array.from(rows.subarray(0, count), (row) => input[row]!));
  const times = isWhole ? t : Float64Array.from(rows.subarray(0, count), (row) => t[row]!);
  const values = evaluate(formula, own, times);
  if (!isWhole) into.fill(Number.NaN);
  for (let index = isWhole ? from : 0; index < values.length; index++) {
    const row = isWhole ? index : rows[index]!;
    if (row < from || row >= from + into.length) continue;
    // Infinity is no value: JSON has none. Nor has it a zero below zero, which adding zero makes 0.
    into[row - from] = Number.isFinite(values[index]) ? values[index]! + 0 : Number.NaN;
  }
  for (const step of isWhole ? [values] : [values, times, ...own]) {
    if (!inputs.includes(step)) (step.buffer as ArrayBuffer).transfer(0);
  }
}
