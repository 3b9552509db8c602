/** Which row groups a query reads. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  type Batch,
  type Grid,
  type Layout,
  planBatches,
  planRuns,
  splitBatch,
} from "../../../../worker/read/objects/batches.ts";

const HOUR = 3_600;

/** The layout of an object with these times of each cohort, in row groups of `size` rows; a row takes ten bytes. */
function layoutOf(series: Record<string, number[]>, size: number): Layout {
  const all = Object.values(series).flat();
  const cohorts: Record<string, [number, number]> = {};
  let firstRow = 0;
  for (const [selector, times] of Object.entries(series)) {
    if (times.length > 0) cohorts[selector] = [firstRow, times.length];
    firstRow += times.length;
  }
  const groups = Array.from({ length: Math.ceil(all.length / size) }, (_, index) => {
    const times = all.slice(index * size, (index + 1) * size);
    const chunk = (offset: number, bytes: number) => ({
      offset,
      dataOffset: offset,
      compressedBytes: bytes,
      uncompressedBytes: bytes,
    });
    const start = 10 * index * size;
    return {
      rows: times.length,
      firstRow: index * size,
      since: Math.min(...times),
      until: Math.max(...times),
      sinceBlock: Number.NEGATIVE_INFINITY,
      untilBlock: Number.POSITIVE_INFINITY,
      digest: "",
      chunks: {
        cohort: chunk(start, 0),
        t: chunk(start, 2 * times.length),
        v: chunk(start + 2 * times.length, 8 * times.length),
      },
    };
  });
  return { info: { cohorts }, groups };
}

const read = (layout: Layout, selector: string, since: number, until: number, grid: Grid) =>
  planRuns(layout, selector, since, until, grid).flatMap(({ first, groups }) => groups.map((_, i) => first + i));

it("tells shared row groups apart by how many points fit before and after them", () => {
  const day = Array.from({ length: 24 }, (_, hour) => hour * HOUR);
  // Rows 24–47 are b's: group 0 ends with its hours 0 to 5, group 1 begins with the others.
  const layout = layoutOf({ a: day, b: day, c: day }, 30);
  const grid = { from: 0, to: 24 * HOUR, step: HOUR };
  expect(read(layout, "b", 0, 5 * HOUR, grid)).toEqual([0]);
  expect(read(layout, "b", 5 * HOUR, 6 * HOUR, grid)).toEqual([0, 1]);
  expect(read(layout, "b", 6 * HOUR, 30 * HOUR, grid)).toEqual([1]);
  // Two days have room for idle hours: b may begin early or late.
  expect(read(layout, "b", 0, 5 * HOUR, { ...grid, to: 48 * HOUR })).toEqual([0]);
  expect(read(layout, "b", 6 * HOUR, 23 * HOUR, { ...grid, to: 48 * HOUR })).toEqual([0, 1]);
  // If several points may share a time, only the statistics tell row groups apart.
  expect(read(layout, "b", 0, 5 * HOUR, { ...grid, step: 0 })).toEqual([0, 1]);
});

it("reads every row group that has a point in the range", () => {
  const times = fc
    .uniqueArray(fc.integer({ min: 2, max: 45 }), { maxLength: 40 })
    .map((hours) => hours.sort((a, b) => a - b).map((hour) => hour * HOUR));
  const bound = fc.integer({ min: 0, max: 48 * HOUR });
  fc.assert(
    fc.property(times, times, times, fc.integer({ min: 1, max: 20 }), bound, bound, (a, b, c, size, one, other) => {
      const layout = layoutOf({ a, b, c }, size);
      const [since, until] = [Math.min(one, other), Math.max(one, other)];
      for (const step of [0, HOUR]) {
        const groups = read(layout, "b", since, until, { from: 0, to: 48 * HOUR, step });
        const needed = b.flatMap((t, i) => (t >= since && t <= until ? [Math.floor((a.length + i) / size)] : []));
        expect(groups).toEqual(expect.arrayContaining(needed));
      }
    }),
    { numRuns: 1000 },
  );
});

it("a batch of several row groups is the same rows as a batch for each of them", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(20), fc.integer({ min: 1, max: 10 }), (rows, before, size) => {
      const times = (count: number) => Array.from({ length: count }, (_, index) => index * HOUR);
      const layout = layoutOf({ users: times(before), total: times(rows), cex: times(before) }, size);
      const everything = {
        since: Number.NEGATIVE_INFINITY,
        until: Number.POSITIVE_INFINITY,
        sinceBlock: Number.NEGATIVE_INFINITY,
        untilBlock: Number.POSITIVE_INFINITY,
      };
      const grid = { from: 0, to: 100 * HOUR, step: 0 };
      const [batch] = planBatches(layout, [{ selector: "total", column: 0 }], everything, grid);
      const rowsOf = ({ groups, skip, rows: count, parts }: Batch) => {
        expect(parts).toEqual([{ column: 0, from: 0, to: count }]);
        return Array.from({ length: count }, (_, index) => groups[0]!.firstRow + skip + index);
      };
      const parts = splitBatch(batch!, false);
      expect(parts.flatMap(rowsOf)).toEqual(rowsOf(batch!));
      for (const { first, groups, offset, length, skip, rows: count } of parts) {
        expect([groups, first]).toEqual([
          [layout.groups[first]],
          batch!.first + parts.findIndex((part) => part.first === first),
        ]);
        expect([offset, length]).toEqual([10 * groups[0]!.firstRow, 10 * groups[0]!.rows]);
        expect(skip + count).toBeLessThanOrEqual(groups[0]!.rows);
        expect(count).toBeGreaterThan(0);
      }
    }),
  );
});
