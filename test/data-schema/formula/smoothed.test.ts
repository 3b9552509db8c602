import fc from "fast-check";
import { expect, it } from "vitest";
import { smoothed } from "../../../data-schema/formula/smoothed.ts";
import type { Points } from "../../../explorer/src/api/points.ts";
import { computedPoints } from "../../../explorer/src/data/computed-points.ts";
import { namesOf } from "../../../explorer/src/lines/formula-line.ts";
import { context, read } from "../../explorer/formula/catalog.ts";
import { series } from "../../explorer/points.ts";

const average = (text: string, n: number) => smoothed(read(text), n, namesOf(context));
const rollingMean = (points: Points, n: number) => computedPoints(average("price", n), [points]);

it("is the mean of each point and those before it", () => {
  const t = Float64Array.of(1, 2, 3, 4);
  expect(rollingMean({ t, v: Float64Array.of(3, 5, 1, 9) }, 3)).toEqual({
    t: Float64Array.of(3, 4),
    v: Float64Array.of(3, 5),
    block: undefined,
    gaps: Float64Array.of(1, 2),
  });
  expect(rollingMean({ t, v: t }, 5).t).toHaveLength(0);
});

it.each([
  ["sopr:lth", "smooth(sopr:lth, 7)"],
  ["DUET.realised_price", "smooth(DUET.realised_price, 7)"],
  ["mvrv:users", "smooth(mvrv:users, 7)"],
  ["(volume - supply) / volume_dollar", "smooth((volume - supply) / volume_dollar, 7)"],
  // No parts of these are published, or they don't add up.
  ["sopr_profit", "sma(sopr_profit, 7)"],
  ["supply / active_addresses", "sma(supply / active_addresses, 7)"],
  ["supply / price", "sma(supply / price, 7)"],
  ["volume", "sma(volume, 7)"],
  ["-sopr", "sma(-sopr, 7)"],
  ["change(supply) / volume", "sma(change(supply) / volume, 7)"],
])("of %s is %s", (text, same) => {
  const { expression, inputs, reach } = read(same);
  expect(average(text, 7)).toMatchObject({ expression, inputs, reach });
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
