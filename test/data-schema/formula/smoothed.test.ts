import fc from "fast-check";
import { expect, it } from "vitest";
import { smoothed } from "../../../data-schema/formula/smoothed.ts";
import type { Points } from "../../../explorer/src/api/points.ts";
import { computedPoints } from "../../../explorer/src/data/computed-points.ts";
import { read } from "../../explorer/formula/catalog.ts";
import { series } from "../../explorer/points.ts";

const rollingMean = (points: Points, n: number) => computedPoints(smoothed(read("price"), n), [points]);

it("is the mean of each point and those before it", () => {
  const t = Float64Array.of(1, 2, 3, 4);
  expect(rollingMean({ t, v: Float64Array.of(3, 5, 1, 9) }, 3)).toEqual({
    t: Float64Array.of(3, 4),
    v: Float64Array.of(3, 5),
    block: undefined,
  });
  expect(rollingMean({ t, v: t }, 5).t).toHaveLength(0);
});

it("is exact after huge values have passed", () => {
  const v = Float64Array.of(1e17, 1, 2, 3, 4);
  expect(rollingMean({ t: v, v }, 2).v.slice(1)).toEqual(Float64Array.of(1.5, 2.5, 3.5));
});

it("equals the sums of its points, taken one by one", () => {
  const amounts = series.map(({ t, v }) => ({ t, v: v.map((value) => Math.abs(value) % 1e9) }));
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 30 }), (points, n) => {
      const means = rollingMean(points, n);
      // What has passed may leave an error behind, of the square of a double's precision.
      const rest = 1e-30 * points.v.reduce((sum, value) => sum + value, 0) + Number.MIN_VALUE * n;
      for (const [i, mean] of means.v.entries()) {
        const own = points.v.subarray(i, i + n);
        const expected = own.reduce((sum, value) => sum + value, 0) / n;
        expect(Math.abs(mean - expected)).toBeLessThanOrEqual(1e-12 * Math.abs(expected) + rest);
        expect(means.t[i]).toBe(points.t[i + n - 1]);
      }
    }),
  );
});
