/** Several series on one time axis. */

import type { Points } from "../api/points.ts";

/** A row for each time and a column for each series, NaN where the series has no point. */
export interface Table {
  /** Unix seconds, ascending; blocks may share a time. */
  t: Float64Array;
  columns: Float64Array[];
  /** At block resolution, the number of each row's block; NaN for rows of coarser series. */
  block?: Float64Array | undefined;
}

export const EMPTY_TABLE: Table = { t: new Float64Array(), columns: [] };

/** Joins series by time and, at block resolution, by block. */
export function align(series: readonly Points[]): Table {
  const [first, ...others] = series;
  if (!first) return EMPTY_TABLE;
  const { t, block } = first;
  if (others.every((one) => isEqual(one.t, t) && isEqual(one.block, block))) {
    return { t, block, columns: series.map(({ v }) => v) };
  }
  const size = series.reduce((sum, one) => sum + one.t.length, 0);
  const hasBlocks = series.some((one) => one.block);
  const times = new Float64Array(size);
  const blocks = new Float64Array(hasBlocks ? size : 0);
  const columns = series.map(() => new Float64Array(size).fill(Number.NaN));
  const next = series.map(() => 0);
  let rows = 0;
  for (; ; rows++) {
    let time = Number.POSITIVE_INFINITY;
    let at = Number.POSITIVE_INFINITY;
    for (const [i, { t, block }] of series.entries()) {
      const row = next[i]!;
      if (row >= t.length || t[row]! > time) continue;
      // A point of a coarser series comes before the blocks of its time.
      const number = block?.[row] ?? -1;
      at = t[row]! < time ? number : Math.min(at, number);
      time = t[row]!;
    }
    if (time === Number.POSITIVE_INFINITY) break;
    times[rows] = time;
    if (hasBlocks) blocks[rows] = at === -1 ? Number.NaN : at;
    for (const [i, { t, v, block }] of series.entries()) {
      const row = next[i]!;
      if (t[row] !== time || (block?.[row] ?? -1) !== at) continue;
      columns[i]![rows] = v[row]!;
      next[i] = row + 1;
    }
  }
  const cut = (array: Float64Array) => array.slice(0, rows);
  return { t: cut(times), columns: columns.map(cut), block: hasBlocks ? cut(blocks) : undefined };
}

/** Rows [from, to) of the times in an interval, both of whose ends are inclusive; an end that is null is open. */
export function rowsWithin(
  { t }: Pick<Table, "t">,
  { since, until }: { since: number | null; until: number | null },
): { from: number; to: number } {
  const from = since === null ? 0 : lowerBound(t, (time) => time >= since);
  const to = until === null ? t.length : lowerBound(t, (time) => time > until);
  return { from, to: Math.max(from, to) };
}

/** The last value in rows [from, to] of a column. */
export function lastValue(column: Float64Array, from: number, to: number): number | undefined {
  for (let row = to; row >= from; row--) {
    const value = column[row];
    if (value !== undefined && !Number.isNaN(value)) return value;
  }
  return undefined;
}

/** The first value in rows [from, to) of a column. */
export function firstValue(column: Float64Array, from: number, to: number): number | undefined {
  for (let row = from; row < to; row++) if (!Number.isNaN(column[row]!)) return column[row];
  return undefined;
}

function lowerBound(t: ArrayLike<number>, isPast: (time: number) => boolean): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(t[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isEqual(a: Float64Array | undefined, b: Float64Array | undefined): boolean {
  if (a === b) return true;
  return a?.length === b?.length && a !== undefined && a.every((value, i) => value === b?.[i]);
}
