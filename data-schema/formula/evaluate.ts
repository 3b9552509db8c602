/** A formula's values, in time linear in the rows (medians: times the logarithm of their windows). */

import { ARITHMETIC } from "./arithmetic.ts";
import type { Computation, Expression } from "./resolve.ts";

/**
 * The values of each row.
 *
 * @param columns the formula's inputs, in order; NaN where one has no point. Windows count rows, so there must be no row
 * without any point: the same formula would have other values beside other series.
 * @returns NaN where there is no value, infinity for a division by 0
 */
export function evaluate({ expression }: Computation, columns: readonly Float64Array[]): Float64Array {
  const rows = columns[0]!.length;
  return valuesOf(expression);

  function valuesOf(expression: Expression): Float64Array {
    switch (expression.kind) {
      case "number":
        return new Float64Array(rows).fill(expression.value);
      case "input":
        return columns[expression.index]!;
      case "negate":
        return valuesOf(expression.of).map((value) => -value);
      case "call":
        return expression.form.evaluate(valuesOf(expression.of), expression.n, expression.others.map(valuesOf));
      case "binary": {
        const right = valuesOf(expression.right);
        const apply = ARITHMETIC[expression.operator];
        return valuesOf(expression.left).map((value, row) => apply(value, right[row]!));
      }
    }
  }
}
