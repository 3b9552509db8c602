/** A rule and the series of an asset → the rows at which it fires. Pure. */

import { computeOnRows, firingRows, holds, type Side } from "../../data-schema/formula.ts";
import type { Lines } from "../published/read/published-series.ts";
import type { SeriesRule } from "./alert-rules.ts";

/** A row at which a rule fires. */
export interface Firing {
  /** Start of the bucket, Unix seconds. */
  t: number;
  /** The values of both sides. */
  left: number;
  right: number;
}

/**
 * The firings of a rule, ascending: the rows at which it has been true so many rows in a row, and was not before. A row
 * where a side has no value is not true.
 */
export function firingsOf({ condition, rows }: Pick<SeriesRule, "condition" | "rows">, { t, of }: Lines): Firing[] {
  const valuesOf = ({ of: side }: Side): Float64Array => {
    const values = new Float64Array(t.length);
    if (typeof side === "number") values.fill(side);
    else computeOnRows(values, side, t, side.inputs.map(of));
    return values;
  };
  const [left, right] = [valuesOf(condition.left), valuesOf(condition.right)];
  const isTrue = (row: number) => holds(condition.comparison, left[row]!, right[row]!);
  return firingRows(isTrue, t.length, rows).map((row) => ({ t: t[row]!, left: left[row]!, right: right[row]! }));
}
