/** Several series on one time axis. */

import type { Points } from "../api/points.ts";

/** A row for each time and a column for each series, undefined where the series has no point. */
export interface Table {
  /** Unix seconds, ascending; blocks may share a time. */
  t: ArrayLike<number>;
  columns: ArrayLike<number | null | undefined>[];
}

export const EMPTY_TABLE: Table = { t: [], columns: [] };

/** Joins series by time. Where times repeat, the first point of one series is beside the first of another, and so on. */
export function align(series: readonly Points[]): Table {
  const [first, ...others] = series;
  if (!first) return EMPTY_TABLE;
  if (others.every(({ t }) => isEqual(t, first.t))) return { t: first.t, columns: series.map(({ v }) => v) };
  const t: number[] = [];
  const cursors = series.map((points) => ({ ...points, next: 0, column: [] as (number | undefined)[] }));
  for (;;) {
    let time = Number.POSITIVE_INFINITY;
    for (const cursor of cursors) {
      if (cursor.next < cursor.t.length) time = Math.min(time, cursor.t[cursor.next]!);
    }
    if (time === Number.POSITIVE_INFINITY) return { t, columns: cursors.map(({ column }) => column) };
    t.push(time);
    for (const cursor of cursors) {
      cursor.column.push(cursor.t[cursor.next] === time ? cursor.v[cursor.next++] : undefined);
    }
  }
}

/** Removes values that a log scale can't show: zero and below. Returns how many there were. */
export function dropNonPositive({ t, columns }: Table): { table: Table; dropped: number } {
  let dropped = 0;
  const kept = columns.map((column) =>
    Array.from(column, (value) => {
      if (value === null || value === undefined || value > 0) return value;
      dropped++;
      return null;
    }),
  );
  return dropped === 0 ? { table: { t, columns }, dropped } : { table: { t, columns: kept }, dropped };
}

/** Rows [from, to) of the times in an interval, both of whose ends are inclusive; all rows without an interval. */
export function rowsWithin({ t }: Table, interval: { from: number; to: number } | null): { from: number; to: number } {
  if (interval === null) return { from: 0, to: t.length };
  return {
    from: lowerBound(t, (time) => time >= interval.from),
    to: lowerBound(t, (time) => time > interval.to),
  };
}

/** The last value in rows [from, to] of a column. */
export function lastValue(column: Table["columns"][number], from: number, to: number): number | undefined {
  for (let row = to; row >= from; row--) {
    const value = column[row];
    if (value !== null && value !== undefined) return value;
  }
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

function isEqual(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
