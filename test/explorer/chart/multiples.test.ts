import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fewMultiples, multiplesWithin, niceStep } from "../../../explorer/src/chart/multiples.ts";

describe("multiples of a step", () => {
  it("lie on an axis, its ends included however they are rounded", () => {
    expect(multiplesWithin(-0.25, 0.3, 0.1)).toEqual([-0.2, -0.1, 0, 0.1, 0.2, 0.3]);
    expect(multiplesWithin(0.1 + 0.2, 0.7, 0.3)).toEqual([0.3, 0.6]);
    expect(multiplesWithin(11, 19, 10)).toEqual([]);
  });

  it("are two or three where that is all that is asked for", () => {
    expect(fewMultiples(0, 10)).toEqual([0, 10]);
    expect(fewMultiples(20.1, 29.9)).toEqual([22.5, 25, 27.5]);
    expect(fewMultiples(-0.004, 0.013)).toEqual([0, 0.01]);
    expect(fewMultiples(-19, -11)).toEqual([-17.5, -15, -12.5]);
    expect(fewMultiples(1, 1)).toEqual([]);
    const end = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(end, fc.double({ min: 0, max: 9, noNaN: true }), (min, exponent) => {
        const max = min + 10 ** exponent;
        const ticks = fewMultiples(min, max);
        expect([2, 3]).toContain(ticks.length);
        const slack = 10 ** (exponent - 9) + Math.abs(max) * 1e-12;
        expect(ticks.every((tick, i) => tick >= min - slack && tick <= max + slack && !(tick <= ticks[i - 1]!))).toBe(
          true,
        );
      }),
    );
  });
});

it("a step is 1, 2 or 5 times a power of ten", () => {
  expect([1, 1.1, 2, 3, 5, 6, 0.03].map(niceStep)).toEqual([1, 2, 2, 5, 5, 10, 0.05]);
});
