/** Cuts a history into ranges of blocks with about as many rows each, by the row groups of its files. */

import { lowerBound } from "../../../lib/columns/lower-bound.ts";
import type { BlockRowGroup } from "./row-groups.ts";

/** The rows in the blocks before one, estimated: the rows of a row group are taken to be spread evenly over its blocks. */
export type RowsBefore = (block: number) => number;

export function rowsBefore(groups: readonly BlockRowGroup[]): RowsBefore {
  const slopes = groups.flatMap(({ min, max, rows }) => {
    const perBlock = rows / (max + 1 - min);
    return [
      { block: min, change: perBlock },
      { block: max + 1, change: -perBlock },
    ];
  });
  slopes.sort((a, b) => a.block - b.block);
  const blocks = new Float64Array(slopes.length);
  const sums = new Float64Array(slopes.length);
  const perBlock = new Float64Array(slopes.length);
  for (const [index, { block, change }] of slopes.entries()) {
    blocks[index] = block;
    if (index > 0) sums[index] = sums[index - 1]! + perBlock[index - 1]! * (block - blocks[index - 1]!);
    perBlock[index] = (perBlock[index - 1] ?? 0) + change;
  }
  return (block) => {
    const index = lowerBound(blocks, blocks.length, block + 1) - 1;
    return index < 0 ? 0 : sums[index]! + perBlock[index]! * (block - blocks[index]!);
  };
}

/** How often ranges of `rows` rows each would read a row of a file, on average: they read row groups as a whole. */
export function readsPerRow(groups: readonly BlockRowGroup[], before: RowsBefore, rows: number): number {
  let all = 0;
  let reads = 0;
  for (const group of groups) {
    all += group.rows;
    reads += group.rows * (1 + (before(group.max + 1) - before(group.min)) / rows);
  }
  return all === 0 ? 1 : reads / all;
}

/** The blocks at which ranges of about `rows` rows begin, ascending, without the first range. Each is the first of a row group. */
export function cutBlocks(groups: readonly BlockRowGroup[], before: RowsBefore, rows: number): number[] {
  const begins = [...new Set(groups.map(({ min }) => min))].sort((a, b) => a - b);
  const all = groups.reduce((sum, group) => sum + group.rows, 0);
  const shares = Math.ceil(all / rows);
  const cuts: number[] = [];
  let next = 1;
  for (let share = 1; share < shares; share++) {
    const wanted = (all * share) / shares;
    const distance = (index: number) => Math.abs(before(begins[index]!) - wanted);
    while (next + 1 < begins.length && distance(next + 1) <= distance(next)) next++;
    if (next < begins.length) cuts.push(begins[next++]!);
  }
  return cuts;
}
