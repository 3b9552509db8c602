/** Several series on one time axis. */

import { firstIndex } from "../../../data-schema/search.ts";
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
  if (others.every((one) => isSame(one, first))) return { t, block, columns: series.map(({ v }) => v) };
  const rows = others.reduce((all: Rows, one) => (isSame(one, all) ? all : union(all, one)), first);
  const hasBlocks = series.some((one) => one.block);
  return {
    t: rows.t,
    columns: series.map((one) => (isSame(one, rows) ? one.v : placed(one, rows))),
    block: hasBlocks ? rows.block?.map((number) => (number === COARSE ? Number.NaN : number)) : undefined,
  };
}

/** Times and, at block resolution, blocks. */
type Rows = Pick<Points, "t" | "block">;

/** In place of a block: a point of a coarser series comes before the blocks of its time. */
const COARSE = -1;

const isSame = (a: Rows, b: Rows) => isEqual(a.t, b.t) && isEqual(a.block, b.block);

/** Whether a row comes before (−1) or after (1) another one. */
function compare(a: Rows, i: number, b: Rows, k: number): number {
  return Math.sign(a.t[i]! - b.t[k]! || (a.block?.[i] ?? COARSE) - (b.block?.[k] ?? COARSE));
}

/** The rows of both, each once. */
function union(a: Rows, b: Rows): Rows {
  const most = a.t.length + b.t.length;
  const t = new Float64Array(most);
  const block = a.block || b.block ? new Float64Array(most) : undefined;
  let rows = 0;
  for (let [i, k] = [0, 0]; i < a.t.length || k < b.t.length; rows++) {
    const order = i === a.t.length ? 1 : k === b.t.length ? -1 : compare(a, i, b, k);
    const [from, row] = order > 0 ? [b, k] : [a, i];
    t[rows] = from.t[row]!;
    if (block) block[rows] = from.block?.[row] ?? COARSE;
    if (order <= 0) i++;
    if (order >= 0) k++;
  }
  return { t: t.slice(0, rows), block: block?.slice(0, rows) };
}

/** The values of a series in its rows among others; NaN in those. */
function placed(series: Points, rows: Rows): Float64Array {
  const column = new Float64Array(rows.t.length).fill(Number.NaN);
  for (let [row, next] = [0, 0]; next < series.t.length; row++) {
    if (compare(rows, row, series, next) === 0) column[row] = series.v[next++]!;
  }
  return column;
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

const lowerBound = (t: ArrayLike<number>, isPast: (time: number) => boolean): number =>
  firstIndex(t.length, (row) => isPast(t[row]!));

function isEqual(a: Float64Array | undefined, b: Float64Array | undefined): boolean {
  if (a === b) return true;
  return a?.length === b?.length && a !== undefined && a.every((value, i) => value === b?.[i]);
}
