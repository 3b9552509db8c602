/** Columns whose numbers rise evenly, such as those of rows or hours, as the differences of neighbours: they compress to little. */

type Column = Uint32Array | Float64Array;

/** @param column whole numbers, exact in it as their differences are; the first one is kept as it is */
export function differences<T extends Column>(column: T): T {
  const found = column.slice() as T;
  for (let i = found.length - 1; i > 0; i--) found[i]! -= found[i - 1]!;
  return found;
}

/** Turns differences back into the numbers, in place. */
export function addUp<T extends Column>(column: T): T {
  for (let i = 1; i < column.length; i++) column[i]! += column[i - 1]!;
  return column;
}
