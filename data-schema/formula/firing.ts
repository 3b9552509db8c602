/** When a comparison becomes true. Pure. */

import { COMPARISONS, type Comparison } from "./functions/choice.ts";

/** Whether two values compare so; not if one is missing. */
export const holds = (comparison: Comparison, left: number, right: number): boolean =>
  COMPARISONS[comparison](left - right);

/** The rows at which something has been true so many rows in a row, and was not before. */
export function firingRows(isTrue: (row: number) => boolean, length: number, count: number): number[] {
  const rows: number[] = [];
  let inARow = 0;
  for (let row = 0; row < length; row++) {
    inARow = isTrue(row) ? inARow + 1 : 0;
    if (inARow === count) rows.push(row);
  }
  return rows;
}
