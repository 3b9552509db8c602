/** Several series on one time line. */

import type { Points } from "./points.ts";

/** A row for each time; a column for each series, undefined where the series has no point. */
export interface Table {
  t: ArrayLike<number>;
  columns: ArrayLike<number | null | undefined>[];
}

/** Times ascend and may repeat, then the first of one series stands beside the first of another, and so on. */
export function align(series: readonly Points[]): Table {
  if (series.length === 0) return { t: [], columns: [] };
  const [first, ...others] = series;
  if (others.every(({ t }) => equal(t, first.t))) return { t: first.t, columns: series.map(({ v }) => v) };
  const t: number[] = [];
  const columns: (number | undefined)[][] = series.map(() => []);
  const next = series.map(() => 0);
  for (;;) {
    let time = Number.POSITIVE_INFINITY;
    for (let i = 0; i < series.length; i++) {
      const own = series[i].t;
      if (next[i] < own.length && own[next[i]] < time) time = own[next[i]];
    }
    if (time === Number.POSITIVE_INFINITY) return { t, columns };
    t.push(time);
    for (let i = 0; i < series.length; i++) {
      const { t: own, v } = series[i];
      columns[i].push(own[next[i]] === time ? v[next[i]++] : undefined);
    }
  }
}

/** For a log scale, which has no place for what is not above zero: those points are left out, and counted. */
export function positive({ t, columns }: Table): { table: Table; dropped: number } {
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

/** Indices [from, to) of the times in an interval, both of its ends inclusive. */
export function indicesWithin(t: ArrayLike<number>, from: number, to: number): [from: number, to: number] {
  return [lowerBound(t, (time) => time >= from), lowerBound(t, (time) => time > to)];
}

/** The value of the last row of [from, to] that has one. */
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
    if (isPast(t[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

function equal(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
