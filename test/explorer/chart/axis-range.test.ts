import fc from "fast-check";
import { expect, test } from "vitest";
import { axisRange } from "../../../explorer/src/chart/axis-range.ts";

/** An exponent of ten. */
const exponent = fc.double({ min: -20, max: 20, noNaN: true });

test("a log axis ends near its values, and not at whole decades", () => {
  // From 3 to 40 it used to go from 1 to 100, of which the values filled 56 %.
  const [from, to] = axisRange("log", 3, 40);
  expect([from, to].map((end) => Number(end.toPrecision(3)))).toEqual([2.64, 45.5]);
});

test("values fill nine tenths of a log axis, but for those that are nearly the same", () => {
  fc.assert(
    fc.property(exponent, exponent, (a, b) => {
      const [min, max] = [10 ** Math.min(a, b), 10 ** Math.max(a, b)];
      const [from, to] = axisRange("log", min, max);
      expect(from < min && to > max).toBe(true);
      const filled = Math.log(max / min) / Math.log(to / from);
      expect(filled).toBeGreaterThan(max / min > 1.5 ? 0.9 : -1);
    }),
  );
});

test("one value has an axis around it, and none has one, too", () => {
  for (const value of [1e-9, 1, 7e12]) {
    const [from, to] = axisRange("log", value, value);
    expect(from < value && value < to && to / from < 1.1).toBe(true);
  }
  expect([axisRange("log", null, null), axisRange("linear", null, null)]).toEqual([
    [1, 10],
    [0, 1],
  ]);
  expect(axisRange("log", 0, 5)).toEqual([1, 10]);
  expect(axisRange("linear", 0, 0)).toEqual([0, 1]);
});

test("a linear axis has zero where that doesn't flatten the values", () => {
  expect(axisRange("linear", 2, 10)[0]).toBe(0);
  expect(axisRange("linear", -10, -2)[1]).toBe(0);
  expect(axisRange("linear", 90, 100)).toEqual([89.4, 100.6]);
});
