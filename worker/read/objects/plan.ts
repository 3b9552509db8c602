/** Footer and query → which bytes to read, and which rows of them. Pure. */

import type { RowGroup, SeriesInfo } from "../../../data-schema/parquet.ts";
import { groupRuns } from "./row-group-runs.ts";

/** Rows decoded at once: a megabyte of points. A longer series is read in several runs. */
export const RUN_ROWS = 65_536;

/** Neighbouring row groups, and a cohort's rows among theirs. */
export interface Run {
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
