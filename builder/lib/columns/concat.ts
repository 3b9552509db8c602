/** The numbers of several columns, one after the other. */
export function concat(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((length, column) => length + column.length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}
