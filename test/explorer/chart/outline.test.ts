import { expect, it } from "vitest";
import { outline } from "../../../explorer/src/chart/drawing/outline.ts";

it("the strip draws the highest value of each step, above zero or on a log scale", () => {
  const t = Float64Array.of(0, 1, 400, 800);
  expect(outline(t, Float64Array.of(50, 100, Number.NaN, 25), false)).toBe(
    "M0.5 100.0L0.5 8.0L399.5 77.0L399.5 100.0Z",
  );
  expect(outline(t, Float64Array.of(1, 10, 0, 1000), true)).toBe("M0.5 69.3L399.5 8.0L399.5 14.0L0.5 75.3Z");
  // Zero lies above what is negative.
  expect(outline(t, Float64Array.of(-50, -100, Number.NaN, -25), false)).toBe(
    "M0.5 8.0L0.5 54.0L399.5 31.0L399.5 8.0Z",
  );
  expect(
    outline(
      t,
      t.map(() => Number.NaN),
      false,
    ),
  ).toBe("");
});
