/** What a line of many points covers in each column of pixels. */

/**
 * Calls `draw` with the least and the greatest value of each column, in order; of a column after a gap again.
 *
 * @param values null is a gap; undefined is no point
 * @param columnOf the column of a row; columns never descend
 * @param isBroken whether no line leads to a row from the point before it
 * @param isFromZero whether each reaches to zero, as areas and bars do, and not to the value before it, as lines do
 */
export function pixelColumns(
  values: ArrayLike<number | null | undefined>,
  { first, last }: { first: number; last: number },
  columnOf: (row: number) => number,
  isBroken: (row: number) => boolean,
  isFromZero: boolean,
  draw: (column: number, least: number, most: number) => void,
): void {
  let column = Number.NaN;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  let before: number | null = null;
  const finish = () => {
    if (!Number.isNaN(column)) draw(column, least, most);
  };
  for (let row = first; row <= last; row++) {
    const value = values[row];
    if (value === undefined) continue;
    if (isBroken(row)) before = null;
    const own = value === null ? Number.NaN : columnOf(row);
    if (own !== column) {
      finish();
      column = own;
      least = (isFromZero ? 0 : before) ?? Number.POSITIVE_INFINITY;
      most = (isFromZero ? 0 : before) ?? Number.NEGATIVE_INFINITY;
    }
    before = value;
    if (value === null) continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  finish();
}
