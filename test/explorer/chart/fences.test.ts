import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countOutside, fences } from "../../../explorer/src/chart/drawing/fences.ts";

const all = (values: readonly unknown[]) => ({ from: 0, to: values.length });
const value = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: 1e-6, max: 1e6, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
);

describe("the fences of a ratio's axis", () => {
  it("leave out one spike of a year", () => {
    const days = Array.from({ length: 365 }, (_, day) => 1 + Math.sin(day) / 2);
    days[100] = 184;
    const shown = fences([days], all(days), "linear")!;
    expect(shown.min).toBe(Math.min(...days));
    // A quarter of the core, which is 1 wide, beyond it.
    expect(shown.max).toBeCloseTo(1.75, 2);
    expect(countOutside([days], all(days), shown)).toBe(1);
  });

  it("show an end that is near, and what happens on few days", () => {
    const days = Array.from({ length: 365 }, (_, day) => 1 + Math.sin(day) / 2);
    days[100] = 2.1;
    expect(fences([days], all(days), "linear")!.max).toBe(2.1);
    // Nothing but zeros is no spread: three days of a year are all there is to see.
    const rare = Array.from({ length: 365 }, (_, day) => (day % 120 === 7 ? day : 0));
    expect(fences([rare], all(rare), "linear")).toEqual({ min: 0, max: 247 });
  });

  it("measure by factors on a log axis", () => {
    const days = Array.from({ length: 365 }, (_, day) => 10 ** Math.sin(day));
    days[7] = 80_000;
    // The core spans a factor of 100, and a quarter of that is the square root of ten.
    expect(fences([days], all(days), "log")!.max).toBeCloseTo(10 * Math.sqrt(10), 0);
  });

  it("show few values whole", () => {
    expect(fences([[1, 3, 100]], all([1, 3, 100]), "log")).toEqual({ min: 1, max: 100 });
    expect(fences([[null, undefined, -1]], { from: 0, to: 3 }, "log")).toBe(null);
  });

  it("lie within the visible values, and hold 98 of 100", () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 300 }),
        fc.constantFrom("linear", "log"),
        (column, scale) => {
          const shown = fences([column], all(column), scale as "linear");
          const values = column.filter((one) => one !== null && one !== undefined);
          if (values.length === 0) {
            expect(shown).toBe(null);
            return;
          }
          expect(shown!.min).toBeGreaterThanOrEqual(Math.min(...values));
          expect(shown!.max).toBeLessThanOrEqual(Math.max(...values));
          expect(countOutside([column], all(column), shown)).toBeLessThanOrEqual(values.length * 0.02 + 2);
        },
      ),
    );
  });
});
