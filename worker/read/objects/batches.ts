/** Footer and selectors → which bytes to read for several series of an object at once, and which rows of them. Pure. */

import type { RowGroup, SeriesInfo } from "../../../data-schema/parquet.ts";

/** Rows decoded at once: a megabyte of points. A longer series is read in several runs. */
export const RUN_ROWS = 65_536;

/** A series of an object, and the column that takes its points. */
export interface Target {
  selector: string;
  column: number;
}

/** Rows [from, to) of a batch, and the column they go to. */
interface Part {
  column: number;
  from: number;
  to: number;
}

/** Neighbouring row groups that are read as one range and decoded together, for all the series in them. */
export interface Batch {
  /** Index of the first row group. */
  first: number;
  groups: readonly RowGroup[];
  /** The bytes that hold the columns of all its row groups. */
  offset: number;
  length: number;
  /** Rows of the row groups before the first wanted one. */
  skip: number;
  rows: number;
  parts: readonly Part[];
}

/** Times in Unix seconds, and block numbers; all inclusive. */
export interface Bounds {
  since: number;
  until: number;
  sinceBlock: number;
  untilBlock: number;
}

/**
 * The batches that hold several series between two bounds, in order. The series of an object lie one after the other, so
 * that neighbours share row groups: those are read once. Like runs, they may hold a few points more.
 *
 * @param hasBlocks whether block numbers are read, too
 */
export function planBatches(
  layout: Layout,
  targets: readonly Target[],
  bounds: Bounds,
  grid: Grid,
  mostRows: number = RUN_ROWS,
  hasBlocks = true,
): Batch[] {
  const { groups } = layout;
  const { since, until } = timesOf(groups, bounds);
  const needed = targets.flatMap(({ selector, column }) =>
    planRuns(layout, selector, since, until, grid, mostRows).map((run) => {
      const from = groups[run.first]!.firstRow + run.skip;
      return { column, first: run.first, count: run.groups.length, from, to: from + run.rows };
    }),
  );
  const isNeeded = new Set<number>();
  for (const { first, count } of needed) for (let i = 0; i < count; i++) isNeeded.add(first + i);

  return groupRuns(groups, (index) => isNeeded.has(index), mostRows).map(({ first, groups, rows }) => {
    const start = groups[0]!.firstRow;
    const own = needed.filter(({ from, to }) => from < start + rows && to > start);
    const firstRow = Math.max(start, Math.min(...own.map(({ from }) => from)));
    const endRow = Math.min(start + rows, Math.max(...own.map(({ to }) => to)));
    const parts = own.map(({ column, from, to }) => ({
      column,
      from: Math.max(from, firstRow) - firstRow,
      to: Math.min(to, endRow) - firstRow,
    }));
    return { first, groups, ...rangeOf(groups, hasBlocks), skip: firstRow - start, rows: endRow - firstRow, parts };
  });
}

function rangeOf(groups: readonly RowGroup[], hasBlocks: boolean): { offset: number; length: number } {
  const { offset } = groups[0]!.chunks.t;
  const { v, block } = groups.at(-1)!.chunks;
  const last = hasBlocks && block ? block : v;
  return { offset, length: last.offset + last.compressedBytes - offset };
}

/** The rows of a batch of one series, as a batch for each row group. */
export function splitBatch({ first, groups, skip, rows, parts: [part] }: Batch, hasBlocks: boolean): Batch[] {
  const start = groups[0]!.firstRow;
  return groups.map((group, index) => {
    const before = group.firstRow - start;
    const from = Math.max(skip, before);
    const count = Math.min(skip + rows, before + group.rows) - from;
    return {
      first: first + index,
      groups: [group],
      ...rangeOf([group], hasBlocks),
      skip: from - before,
      rows: count,
      parts: [{ column: part!.column, from: 0, to: count }],
    };
  });
}

/** Times between which all rows of the blocks lie: blocks and their times rise together. */
function timesOf(groups: readonly RowGroup[], { since, until, sinceBlock, untilBlock }: Bounds) {
  for (const group of groups) {
    if (group.untilBlock < sinceBlock) since = Math.max(since, group.until);
    if (group.sinceBlock > untilBlock) until = Math.min(until, group.since);
  }
  return { since, until };
}

/** Neighbouring row groups, and a cohort's rows among theirs. */
interface Run {
  /** Index of the first row group. */
  first: number;
  groups: readonly RowGroup[];
  skip: number;
  rows: number;
}

/** Where an object's points may lie: at times in [from, to), at least `step` seconds apart. */
export interface Grid {
  from: number;
  to: number;
  step: number;
}

/** What the plan needs to know of an object. */
export interface Layout {
  info: Pick<SeriesInfo, "cohorts">;
  groups: readonly RowGroup[];
}

/**
 * The runs that hold a cohort's points between two times, in order. They may hold a few points more: a row group is
 * left out by its least and greatest t, or by how many points fit before and after it.
 *
 * @param since Unix seconds, inclusive, like until
 * @param mostRows of a run, unless a single row group has more
 */
export function planRuns(
  { info, groups }: Layout,
  selector: string,
  since: number,
  until: number,
  grid: Grid,
  mostRows: number = RUN_ROWS,
): Run[] {
  const [firstRow, rows] = info.cohorts[selector] ?? [0, 0];
  const endRow = firstRow + rows;
  const isWhole = (group: RowGroup | undefined): group is RowGroup =>
    group !== undefined && group.firstRow >= firstRow && group.firstRow + group.rows <= endRow;
  const isNeeded = (group: RowGroup, before: RowGroup | undefined, after: RowGroup | undefined): boolean => {
    if (group.firstRow >= endRow || group.firstRow + group.rows <= firstRow) return false;
    // The times of a group that other cohorts share say little; a neighbour that is the cohort's alone says more.
    if ((isWhole(after) ? Math.min(group.until, after.since) : group.until) < since) return false;
    if ((isWhole(before) ? Math.max(group.since, before.until) : group.since) > until) return false;
    // The cohort's rows before and after the group need their time, too.
    const rowsBefore = Math.max(group.firstRow - firstRow, 0);
    const rowsAfter = Math.max(endRow - group.firstRow - group.rows, 0);
    return grid.from + rowsBefore * grid.step <= until && grid.to - rowsAfter * grid.step > since;
  };

  const isNeededAt = (index: number) => isNeeded(groups[index]!, groups[index - 1], groups[index + 1]);
  return groupRuns(groups, isNeededAt, mostRows).map(({ first, groups, rows }) => {
    const start = groups[0]!.firstRow;
    const skip = Math.max(firstRow - start, 0);
    return { first, groups, skip, rows: Math.min(endRow - start, rows) - skip };
  });
}

/** Row groups that follow each other in an object: they can be read as one range. */
interface GroupRun {
  /** Index of the first group in the object. */
  first: number;
  groups: RowGroup[];
  rows: number;
}

/**
 * The runs of the groups that are needed.
 *
 * @param mostRows rows of a run, at most, unless a single group has more
 */
function groupRuns(groups: readonly RowGroup[], isNeeded: (index: number) => boolean, mostRows: number): GroupRun[] {
  const runs: GroupRun[] = [];
  for (const [index, group] of groups.entries()) {
    if (!isNeeded(index)) continue;
    const run = runs.at(-1);
    if (run !== undefined && run.first + run.groups.length === index && run.rows + group.rows <= mostRows) {
      run.groups.push(group);
      run.rows += group.rows;
    } else {
      runs.push({ first: index, groups: [group], rows: group.rows });
    }
  }
  return runs;
}
