import fc from "fast-check";
import { expect, it } from "vitest";
import { headlineOf } from "../../../explorer/src/data/headline.ts";
import { headlineText } from "../../../explorer/src/data/headline-text.ts";

const DAY = 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;
const days = (count: number) => Float64Array.from({ length: count }, (_, day) => START + day * DAY);
const text = (values: readonly number[]) =>
  headlineText(headlineOf(days(values.length), Float64Array.from(values))!, "usd").replaceAll("\u202f", " ");

it("says what is now, how it has changed, and where it stands among all days and the last year's", () => {
  // 500 days: 1 to 500 dollars, and then 450.
  const rising = Array.from({ length: 500 }, (_, day) => day + 1);
  expect(text([...rising, 450])).toBe(
    "$450 on 15 May 2025: −8.91 % in 7 days, −4.46 % in 30 days. Higher than on 89 % of all days, higher than on 86 % of those of the last year.",
  );
  expect(text([...rising, 501])).toContain("Higher than on any of all days");
  expect(text([...rising, 0.5])).toContain(
    "Lower than on any of all days, lower than on any of those of the last year.",
  );
});

it("leaves out what can't be said", () => {
  expect(text([3])).toBe("$3 on 1 Jan 2024.");
  // Too few days to compare with; and no share of nothing.
  expect(text([0, 0, 0, 0, 0, 0, 0, 0, 5])).toBe("$5 on 9 Jan 2024.");
  expect(text([-1, 2, 3, 4, 5, 6, 7, 8])).toBe("$8 on 8 Jan 2024.");
  expect(headlineOf(days(2), Float64Array.of(Number.NaN, Number.NaN))).toBe(null);
  // The last day with a value counts.
  expect(text([1, 2, Number.NaN])).toBe("$2 on 2 Jan 2024.");
});

it("counts as one would by hand", () => {
  const value = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: -5, max: 5 }) },
    { weight: 1, arbitrary: fc.constant(Number.NaN) },
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 500 }), (values) => {
      const headline = headlineOf(days(values.length), Float64Array.from(values));
      const last = values.findLastIndex((one) => !Number.isNaN(one));
      if (last < 0) return void expect(headline).toBe(null);
      for (const [name, from] of [
        ["ever", 0],
        ["year", Math.max(0, last - 365)],
      ] as const) {
        const before = values.slice(from, last).filter((one) => !Number.isNaN(one));
        const standing = headline![name];
        if (before.length < 90) expect(standing).toBe(null);
        else expect(standing!.lower * before.length).toBeCloseTo(before.filter((one) => one < values[last]!).length, 6);
      }
      for (const { days, by } of headline!.changes)
        expect((1 + by) * values[last - days]!).toBeCloseTo(values[last]!, 9);
    }),
  );
});
