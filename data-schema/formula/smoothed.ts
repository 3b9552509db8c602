/** Moving averages of whole curves. */

import { FormulaError } from "./formula-error.ts";
import { SMA } from "./functions/averages.ts";
import { SUM } from "./functions/changes.ts";
import type { FunctionForm } from "./functions/function.ts";
import type { FormulaMetric, Names } from "./names.ts";
import { areSummable } from "./quotients.ts";
import { type Computation, type Expression, readFormula, type SeriesRef } from "./resolve.ts";
import { assetText, selectorText } from "./tokens.ts";

/** A computation over its last n rows: of ratios, as `smooth` gives it where it can; of all others, as `sma` does. */
export function smoothed<M extends FormulaMetric>(computation: Computation, n: number, names: Names<M>): Computation {
  const { expression, inputs, reach, looksAhead } = computation;
  if (expression.kind === "input") {
    const ratio = smoothedRatio(inputs[expression.index]!, n, names);
    if (ratio) return ratio;
  }
  const isQuotient = expression.kind === "binary" && expression.operator === "/";
  const over = (form: FunctionForm, of: Expression): Expression => ({
    kind: "call",
    form,
    of,
    n,
    others: [],
  });
  if (isQuotient && [expression.left, expression.right].every((side) => isSum(side, inputs, names))) {
    const [left, right] = [over(SUM.counted!, expression.left), over(SUM.counted!, expression.right)];
    return { expression: { ...expression, left, right }, inputs, reach: SUM.counted!.reach(n), looksAhead };
  }
  return { expression: over(SMA.counted!, expression), inputs, reach: reach + SMA.counted!.reach(n), looksAhead };
}

/** A published ratio, from its parts; undefined of what has none that are published. */
function smoothedRatio<M extends FormulaMetric>({ asset, metric, selector }: SeriesRef, n: number, names: Names<M>) {
  const series = `${assetText(asset)}.${metric}${selector === null ? "" : `:${selectorText(selector)}`}`;
  try {
    return readFormula(`smooth(${series}, ${n})`, names);
  } catch (error) {
    if (error instanceof FormulaError) return undefined;
    throw error;
  }
}

/** Whether an expression is a sum or difference of series that add up. */
function isSum<M extends FormulaMetric>(side: Expression, inputs: readonly SeriesRef[], names: Names<M>): boolean {
  switch (side.kind) {
    case "input":
      return areSummable(names.metrics.find(({ name }) => name === inputs[side.index]!.metric));
    case "negate":
      return isSum(side.of, inputs, names);
    case "binary":
      return (
        (side.operator === "+" || side.operator === "-") &&
        isSum(side.left, inputs, names) &&
        isSum(side.right, inputs, names)
      );
    default:
      return false;
  }
}
