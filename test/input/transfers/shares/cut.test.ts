import { expect, test } from "vitest";
import { cutBlocks, readsPerRow, rowsBefore } from "../../../../builder/input/transfers/shares/cut.ts";

/** Row groups of 10 rows each. */
const groups = (...ranges: [number, number][]) => ranges.map(([min, max]) => ({ min, max, rows: 10 }));
const cuts = (files: ReturnType<typeof groups>, rows: number) => cutBlocks(files, rowsBefore(files), rows);
const reads = (file: ReturnType<typeof groups>, rows: number, all = file) => readsPerRow(file, rowsBefore(all), rows);

const SORTED = groups([0, 9], [10, 19], [20, 29], [30, 39]);

test("the rows of a row group are spread evenly over its blocks", () => {
  const before = rowsBefore(groups([0, 9], [5, 24]));
  // Blocks 0 to 4 have a row each; 5 to 9 have 1 and a half; 10 to 24 have half a row.
  expect([-1, 0, 3, 5, 10, 24, 25, 1000].map(before)).toEqual([0, 0, 3, 5, 12.5, 19.5, 20, 20]);
});

test("ranges begin where row groups do, and have about as many rows each", () => {
  expect(cuts(SORTED, 100)).toEqual([]);
  expect(cuts(SORTED, 20)).toEqual([20]);
  expect(cuts(SORTED, 10)).toEqual([10, 20, 30]);
  // 30 rows are wanted each, but there is no row group between two ranges of 20.
  expect(cuts(SORTED, 30)).toEqual([20]);
  // Two files of the same blocks.
  expect(cuts([...SORTED, ...SORTED], 40)).toEqual([20]);
  // A block is never cut.
  expect(cuts(groups([5, 5], [5, 5], [5, 6]), 10)).toEqual([]);
});

test("a sorted file is read about once, files whose row groups have all blocks once for each range", () => {
  expect(reads(SORTED, 20)).toBe(1.5);
  expect(reads(SORTED, 400)).toBe(1.025);
  const scattered = groups([0, 39], [0, 39]);
  expect(reads(scattered, 10, [...SORTED, ...scattered])).toBe(7);
  expect(reads([], 10)).toBe(1);
});
