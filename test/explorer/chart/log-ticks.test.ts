import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { logTicks } from "../../../explorer/src/chart/log-ticks.ts";

describe("the ticks of a log axis", () => {
  it("are round numbers, whatever the axis begins with", () => {
    expect(logTicks(0.72117942, 28.1, 12)).toEqual([1, 2, 3, 5, 7, 10, 20]);
    expect(logTicks(0.14679, 8, 12)).toEqual([0.2, 0.3, 0.5, 0.7, 1, 2, 3, 5, 7]);
  });

  it("are fewer where there is less room", () => {
    expect(logTicks(0.4, 300, 10)).toEqual([0.5, 1, 2, 5, 10, 20, 50, 100, 200]);
    expect(logTicks(0.4, 300, 4)).toEqual([1, 10, 100]);
    expect(logTicks(1e-3, 1e9, 5)).toEqual([1e-3, 1, 1e3, 1e6, 1e9]);
  });

  it("are multiples of a step where the axis is short", () => {
    expect(logTicks(0.93, 1.12, 6)).toEqual([0.95, 1, 1.05, 1.1]);
    expect(logTicks(3.1, 4.9, 5)).toEqual([3.5, 4, 4.5]);
    expect(logTicks(41, 59, 10)).toEqual([45, 50, 55]);
  });

  it("are at least two, so that they say how much a distance is", () => {
    expect(logTicks(1.2, 40, 2)).toEqual([3, 10, 30]);
    expect(logTicks(3.2, 400, 2)).toEqual([10, 100]);
    expect(logTicks(1.1, 35_000, 2)).toEqual([100, 10_000]);
    expect(logTicks(1.1, 9.9, 2)).toEqual([2, 5]);
    expect(logTicks(10 ** 11.999999999999893, 10 ** 12.999999999999893, 2)).toEqual([1e12, 3e12]);
    expect(logTicks(20.1, 29.9, 2)).toEqual([22.5, 25, 27.5]);
    expect(logTicks(1, 1, 2)).toEqual([]);
  });

  it("are at least two, lie within the axis, in order, and are no more than fit", () => {
    // Axes of a whole number of powers of ten, but for a rounding, are where the rules for short and long ones meet.
    const start = fc.oneof(fc.double({ min: -9, max: 12, noNaN: true }), nearInteger(-9, 12));
    const decades = fc.oneof(fc.double({ min: 1e-4, max: 12, noNaN: true }), nearInteger(1, 12));
    const most = fc.oneof(fc.integer({ min: 2, max: 20 }), fc.double({ min: 2, max: 20, noNaN: true }));
    fc.assert(
      fc.property(start, decades, most, (start, decades, most) => {
        const [min, max] = [10 ** start, 10 ** (start + decades)];
        const ticks = logTicks(min, max, most);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        expect(
          ticks.every((tick, i) => tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9) && !(tick <= ticks[i - 1]!)),
        ).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

const nearInteger = (min: number, max: number) =>
  fc.tuple(fc.integer({ min, max }), fc.double({ min: -1e-12, max: 1e-12, noNaN: true })).map(([at, by]) => at + by);
