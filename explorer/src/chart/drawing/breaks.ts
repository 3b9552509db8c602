/** Where a line breaks off: nobody knows what was between two points if buckets between them have none. */

export interface Breaks {
  /** The rows before and after each stretch without points. */
  gaps: [before: number, after: number][];
  /** Rows with a point but no line to another one. */
  alone: number[];
}

export const NO_BREAKS: Breaks = { gaps: [], alone: [] };

/**
 * @param t Unix seconds, ascending
 * @param column null breaks a line off by itself; undefined is no point, as in rows that only other lines have
 * @param longest the seconds of the longest bucket; a bucket is missing where the next point is further away than one and a half of these
 */
export function breaksIn(
  t: ArrayLike<number>,
  column: readonly (number | null | undefined)[],
  longest: number,
): Breaks {
  const breaks: Breaks = { gaps: [], alone: [] };
  let last = -1;
  let hasLine = true;
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (value === undefined) continue;
    const isNext = last >= 0 && value !== null && t[row]! - t[last]! <= longest * 1.5;
    if (!isNext && !hasLine) breaks.alone.push(last);
    if (!isNext && last >= 0 && value !== null) breaks.gaps.push([last, row]);
    hasLine = value === null || isNext;
    last = value === null ? -1 : row;
  }
  if (!hasLine) breaks.alone.push(last);
  return breaks;
}
