/** Footer and query → which bytes to read, and which rows of them. Pure. */

import type { Footer, RowGroup } from "./footer.ts";

/** Rows decoded at once: a megabyte of points. A longer series is read run after run. */
export const RUN_ROWS = 65_536;

/** Neighbouring row groups that are read as one range and decoded together. */
export interface Run {
  /** Index of the first row group. */
  first: number;
  groups: readonly RowGroup[];
  /** The bytes that hold t and v of all its row groups. */
  offset: number;
  length: number;
  /** The cohort's rows among those of the row groups. */
  skip: number;
  rows: number;
}

/** Where an object's points may lie: times in [from, to), `step` seconds apart at least. */
export interface Grid {
  from: number;
  to: number;
  step: number;
}

/**
 * The runs that hold a cohort's points between two times, in order. They may hold a few more: row groups are told
 * apart by their least and greatest t and by how many points fit before and after them.
 *
 * @param since Unix seconds, inclusive, like until
 */
export function planRuns(
  { cohorts, groups }: Footer,
  selector: string,
  since: number,
  until: number,
  grid: Grid,
): Run[] {
  const [firstRow, rows] = cohorts[selector] ?? [0, 0];
  const endRow = firstRow + rows;
  const runs: { first: number; groups: RowGroup[]; rows: number }[] = [];
  const isWhole = (group: RowGroup | undefined): group is RowGroup =>
    group !== undefined && group.firstRow >= firstRow && group.firstRow + group.rows <= endRow;
  groups.forEach((group, index) => {
    if (group.firstRow >= endRow || group.firstRow + group.rows <= firstRow) return;
    // The times of a group that is shared with another cohort tell little; a neighbour that is not says more.
    const [before, after] = [groups[index - 1], groups[index + 1]];
    if ((isWhole(after) ? Math.min(group.until, after.since) : group.until) < since) return;
    if ((isWhole(before) ? Math.max(group.since, before.until) : group.since) > until) return;
    // The cohort's rows before and after the group take their time, too.
    const [rowsBefore, rowsAfter] = [group.firstRow - firstRow, endRow - group.firstRow - group.rows];
    if (grid.from + Math.max(rowsBefore, 0) * grid.step > until) return;
    if (grid.to - Math.max(rowsAfter, 0) * grid.step <= since) return;
    const run = runs.at(-1);
    if (run !== undefined && run.first + run.groups.length === index && run.rows + group.rows <= RUN_ROWS) {
      run.groups.push(group);
      run.rows += group.rows;
    } else {
      runs.push({ first: index, groups: [group], rows: group.rows });
    }
  });
  return runs.map((run) => {
    const start = run.groups[0]!.firstRow;
    const chunks = run.groups.flatMap((group) => group.chunks);
    const offset = Math.min(...chunks.map((chunk) => chunk.offset));
    const end = Math.max(...chunks.map((chunk) => chunk.offset + chunk.compressedBytes));
    const skip = Math.max(firstRow - start, 0);
    return {
      first: run.first,
      groups: run.groups,
      offset,
      length: end - offset,
      skip,
      rows: Math.min(endRow - start, run.rows) - skip,
    };
  });
}
