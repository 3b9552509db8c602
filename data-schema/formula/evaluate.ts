/** A formula's values, in time linear in the rows (medians and the like: times the logarithm of their windows). */

import { ARITHMETIC } from "./arithmetic.ts";
import type { Computation, Expression } from "./resolve.ts";

/**
 * The values of each row.
 *
 * @param columns the formula's inputs, in order; NaN where one has no point. Windows count rows, so there must be no row
 * without any point: the same formula would have other values beside other series.
 * @param t the times of the rows, Unix seconds
 * @returns NaN where there is no value, infinity for a division by 0; a column itself where the formula is nothing else
 */
export function evaluate({ expression }: Computation, columns: readonly Float64Array[], t: Float64Array): Float64Array {
  const rows = columns[0]!.length;
  return valuesOf(expression);

  function valuesOf(expression: Expression): Float64Array {
    switch (expression.kind) {
      case "number":
        return new Float64Array(rows).fill(expression.value);
      case "input":
        return columns[expression.index]!;
      case "negate": {
        const of = valuesOf(expression.of);
        const into = isOwn(of) ? of : new Float64Array(rows);
        for (let row = 0; row < rows; row++) into[row] = -of[row]!;
        return into;
      }
      case "call": {
        const [of, ...others] = [expression.of, ...expression.others].map(valuesOf);
        const values = expression.form.evaluate(of!, expression.n, others, t);
        for (const step of [of!, ...others]) if (step !== values) free(step);
        return values;
      }
      case "binary": {
        const [left, right] = [valuesOf(expression.left), valuesOf(expression.right)];
        const apply = ARITHMETIC[expression.operator];
        const into = [left, right].find(isOwn) ?? new Float64Array(rows);
        for (let row = 0; row < rows; row++) into[row] = apply(left[row]!, right[row]!);
        if (right !== into) free(right);
        return into;
      }
    }
  }

  /** Whether values are a step of the computation, and not one of its inputs. */
  function isOwn(values: Float64Array): boolean {
    return !columns.includes(values);
  }

  /** Frees a step: as garbage, those of many hours would wait for a collection. */
  function free(values: Float64Array): void {
    if (isOwn(values)) (values.buffer as ArrayBuffer).transfer?.(0);
  }
}
