/** Rows without any value are no rows. */

/** Moves the rows in which some column has a value to the front, and counts them. */
export function dropEmpty(t: Float64Array, block: Float64Array | null, columns: readonly Float64Array[]): number {
  let kept = 0;
  for (let row = 0; row < t.length; row++) {
    if (columns.every((column) => Number.isNaN(column[row]))) continue;
    if (kept < row) {
      t[kept] = t[row]!;
      if (block) block[kept] = block[row]!;
      for (const column of columns) column[kept] = column[row]!;
    }
    kept++;
  }
  return kept;
}
