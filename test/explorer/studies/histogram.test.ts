import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binsOf, shareBelow } from "../../../explorer/src/studies/histogram.ts";

describe("bins", () => {
  it("have one round width", () => {
    expect(binsOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 10], false)).toEqual([
      { from: 0, to: 2, count: 2 },
      { from: 2, to: 4, count: 2 },
      { from: 4, to: 6, count: 2 },
      { from: 6, to: 8, count: 2 },
      { from: 8, to: 10, count: 2 },
    ]);
  });

  it("are a single one where all values are the same, and none without values", () => {
    expect(binsOf([3, 3, 3], false)).toEqual([{ from: 3, to: 3, count: 3 }]);
    expect(binsOf([3, 3], true)).toEqual([{ from: 3, to: 3, count: 2 }]);
    const [low, high] = [999_999.9999999997, 999_999.9999999998];
    for (const isLog of [false, true]) expect(binsOf([high, low], isLog)).toEqual([{ from: low, to: high, count: 2 }]);
    expect(binsOf([], false)).toEqual([]);
  });

  it("have equal ratios on a log scale", () => {
    const bins = binsOf(
      Array.from({ length: 100 }, (_, i) => 10 ** (i / 25)),
      true,
    );
    const ratios = bins.map(({ from, to }) => to / from);
    for (const ratio of ratios) expect(ratio).toBeCloseTo(ratios[0]!, 8);
  });

  it("aren't stretched by a single extreme", () => {
    const values = [...Array.from({ length: 999 }, (_, i) => i), 1e9];
    const bins = binsOf(values, false);
    expect(bins.length).toBe(20);
    expect(bins.at(-1)!.to).toBeLessThan(2_000);
  });

  it("count each value once, each inside its bin or beyond the ends", () => {
    const within = (min: number, max: number) =>
      fc.array(fc.double({ min, max, noNaN: true }), { minLength: 1, maxLength: 200 });
    // Values of tokens may lie as close to each other as doubles can.
    const close = fc
      .tuple(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), fc.double({ min: -16, max: 0, noNaN: true }))
      .chain(([least, exponent]) => within(least, least * (1 + 10 ** exponent)));
    fc.assert(
      fc.property(fc.oneof(within(1e-3, 1e6), close), fc.boolean(), (values, isLog) => {
        const bins = binsOf(values, isLog);
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
        expect(bins.length).toBeLessThanOrEqual(45);
        for (const [i, { from, to, count }] of bins.slice(1, -1).entries()) {
          expect(from).toBe(bins[i]!.to);
          // A bin's edges are rounded to twelve digits.
          const spare = 1e-9 * to;
          expect(count).toBeLessThanOrEqual(values.filter((one) => one >= from - spare && one < to + spare).length);
          expect(count).toBeGreaterThanOrEqual(values.filter((one) => one >= from + spare && one < to - spare).length);
        }
      }),
    );
  });
});

it("a rank is the share of the others that are lower", () => {
  expect([1, 2, 3].map((value) => shareBelow(value, [1, 2, 2, 2, 3]))).toEqual([0, 0.25, 1]);
});
