import type { RowGroup } from "../../../data-schema/parquet.ts";

/** Row groups that follow each other in an object: they can be read as one range. */
export interface GroupRun {
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
export function groupRuns(
  groups: readonly RowGroup[],
  isNeeded: (index: number) => boolean,
  mostRows: number,
): GroupRun[] {
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
