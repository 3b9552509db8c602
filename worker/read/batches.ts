/** Footer and selectors → which bytes to read for several series of an object at once. Pure. */

import type { RowGroup } from "../../data-schema/parquet/footer.ts";
import { type Grid, type Layout, planRuns, RUN_ROWS, type Run } from "./plan.ts";
import { groupRuns } from "./runs.ts";

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
export interface Batch extends Pick<Run, "first" | "groups" | "offset" | "length"> {
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
 */
export function planBatches(
  layout: Layout,
  targets: readonly Target[],
  bounds: Bounds,
  grid: Grid,
  mostRows: number = RUN_ROWS,
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
    const offset = groups[0]!.chunks.t.offset;
    const { v, block = v } = groups.at(-1)!.chunks;
    const length = block.offset + block.compressedBytes - offset;
    return { first, groups, offset, length, skip: firstRow - start, rows: endRow - firstRow, parts };
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
