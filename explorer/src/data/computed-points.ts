/** The points of curves. */

import { type Computation, evaluate } from "../../../data-schema/formula.ts";
import { type Points, withoutGaps } from "../api/points.ts";
import { align } from "./table.ts";

export interface ComputedCurve extends Points {
  /** The times of rows of its own at which it has no value. */
  gaps?: Float64Array;
}

/** The points where a computation has a finite value, from those of its inputs alone, whatever else a chart shows. */
export function computedPoints(computation: Computation, inputs: readonly Points[]): ComputedCurve {
  const { t, block, columns } = align(inputs);
  const v = evaluate(computation, columns, t).map((value) => (Number.isFinite(value) ? value : Number.NaN));
  return { ...withoutGaps({ t, block, v }), gaps: t.filter((_, row) => Number.isNaN(v[row]!)) };
}

/** One curve less another, where both have a point. */
export function difference(curve: Points, other: Points): Points {
  const { t, block, columns } = align([curve, other]);
  return withoutGaps({ t, block, v: columns[0]!.map((value, row) => value - columns[1]![row]!) });
}
