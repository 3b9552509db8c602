import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cyclesSince, drawdowns, partOn, yearStarts } from "../../../explorer/src/studies/cycles.ts";

const DAY = 86_400;
const daily = (v: number[], start = "2025-01-01") => ({
  t: v.map((_, i) => Date.parse(start) / 1000 + i * DAY),
  v,
});
const at = (day: string) => Date.parse(day) / 1000;

describe("drawdowns", () => {
  it("go from a high to the first value that is as high", () => {
    expect(drawdowns(daily([10, 8, 5, 9, 10, 20, 15, 18]))).toEqual([
      {
        from: at("2025-01-01"),
        to: at("2025-01-05"),
        days: [0, 1, 2, 3, 4],
        parts: [1, 0.8, 0.5, 0.9, 1],
        isOpen: false,
        low: 0.5,
        lowDay: 2,
      },
      {
        from: at("2025-01-06"),
        to: at("2025-01-08"),
        days: [0, 1, 2],
        parts: [1, 0.75, 0.9],
        isOpen: true,
        low: 0.75,
        lowDay: 1,
      },
    ]);
  });

  it("are none where nothing falls, or nothing is above 0", () => {
    expect(drawdowns(daily([1, 1, 2, 3]))).toEqual([]);
    expect(drawdowns(daily([]))).toEqual([]);
    expect(drawdowns(daily([0, -1, -2]))).toEqual([]);
    expect(drawdowns(daily([4, 2, 4])).map(({ isOpen }) => isOpen)).toEqual([false]);
  });

  it("cover exactly the values below the highest so far", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }), (v) => {
        const points = daily(v);
        const isBelow = v.map((value, row) => value < Math.max(...v.slice(0, row + 1)));
        const covered = new Set(
          drawdowns(points).flatMap(({ from, parts }) => {
            const first = points.t.indexOf(from);
            return parts.flatMap((part, i) => (part < 1 ? first + i : []));
          }),
        );
        expect([...v.keys()].filter((row) => covered.has(row))).toEqual([...v.keys()].filter((row) => isBelow[row]));
        for (const { parts, low, isOpen } of drawdowns(points)) {
          expect(parts[0]).toBe(1);
          expect(low).toBe(Math.min(...parts));
          expect(parts.at(-1)! >= 1).toBe(!isOpen);
        }
      }),
    );
  });

  it("are compared on a day, as long as they last", () => {
    const [first] = drawdowns({ t: [0, 2 * DAY, 5 * DAY], v: [4, 1, 4] });
    expect([0, 1, 2, 4.9, 5, 5.1].map((day) => partOn(first!, day))).toEqual([1, 1, 0.25, 0.25, 1, undefined]);
  });
});

describe("cycles", () => {
  it("go from each time to the next, indexed to their first value", () => {
    const points = daily([2, 4, 6, 3, 9]);
    expect(cyclesSince(points, [at("2025-01-02"), at("2025-01-04")])).toEqual([
      { from: at("2025-01-02"), to: at("2025-01-03"), days: [0, 1], parts: [1, 1.5] },
      { from: at("2025-01-04"), to: at("2025-01-05"), days: [0, 1], parts: [1, 3] },
    ]);
  });

  it("count days from the time itself, also where the first value comes later", () => {
    const [cycle] = cyclesSince(daily([5, 10], "2025-01-11"), [at("2025-01-01")]);
    expect(cycle).toMatchObject({ days: [10, 11], parts: [1, 2] });
  });

  it("need points, and a first value above 0", () => {
    expect(cyclesSince(daily([0, 1]), [at("2025-01-01")])).toEqual([]);
    expect(cyclesSince(daily([1, 1]), [at("2026-01-01")])).toEqual([]);
  });

  it("of years begin with each year that has points", () => {
    const t = ["2023-12-31", "2024-01-01", "2024-12-31", "2026-07-01"].map(at);
    expect(yearStarts({ t, v: [1, 2, 3, 4] })).toEqual(["2023-01-01", "2024-01-01", "2026-01-01"].map(at));
  });
});
