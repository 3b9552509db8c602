import fc from "fast-check";
import { expect, test } from "vitest";
import { breaksIn } from "../../../explorer/src/chart/drawing/breaks.ts";

const HOUR = 3_600;
const hours = (...numbers: number[]) => numbers.map((number) => number * HOUR);

test("a line breaks off where hours are missing, and what is alone has no line", () => {
  expect(breaksIn(hours(0, 1, 2, 5, 6, 9), [1, 2, 3, 4, 5, 6], HOUR)).toEqual({
    gaps: [
      [2, 3],
      [4, 5],
    ],
    alone: [5],
  });
  expect(breaksIn(hours(0, 2, 4), [1, 2, 3], HOUR).alone).toEqual([0, 1, 2]);
  expect(breaksIn(hours(0, 1, 2), [1, 2, 3], HOUR)).toEqual({ gaps: [], alone: [] });
});

test("rows of other lines break nothing off, and a null does so by itself", () => {
  expect(breaksIn(hours(0, 1, 1.5, 2), [1, 2, undefined, 3], HOUR)).toEqual({ gaps: [], alone: [] });
  expect(breaksIn(hours(0, 1, 2, 3), [1, null, 2, 3], HOUR)).toEqual({ gaps: [], alone: [0] });
  // Days beside hours are days apart.
  expect(breaksIn(hours(0, 1, 24, 25), [1, undefined, 2, undefined], 24 * HOUR)).toEqual({ gaps: [], alone: [] });
});

test("every point is alone, or has a neighbour within reach", () => {
  const rows = fc.array(fc.record({ step: fc.integer({ min: 1, max: 4 }), value: fc.constantFrom(1, 2, undefined) }));
  fc.assert(
    fc.property(rows, (given) => {
      let time = 0;
      const t = given.map(({ step }) => (time += step * HOUR));
      const column = given.map(({ value }) => value);
      const points = t.flatMap((at, row) => (column[row] === undefined ? [] : { at, row }));
      const isNear = (a: number, b: number) => points[a] && points[b] && points[b].at - points[a].at < 1.5 * HOUR;
      const { gaps, alone } = breaksIn(t, column, HOUR);
      expect(alone).toEqual(points.flatMap(({ row }, i) => (isNear(i - 1, i) || isNear(i, i + 1) ? [] : row)));
      expect(gaps).toEqual(
        points.flatMap(({ row }, i) => (i === 0 || isNear(i - 1, i) ? [] : [[points[i - 1]!.row, row]])),
      );
    }),
  );
});
