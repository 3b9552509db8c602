import fc from "fast-check";
import { expect, it } from "vitest";
import { AROUND_ZERO, PLAIN } from "../../../data-schema/registry/natural-looks.ts";
import { headlineOf } from "../../../explorer/src/data/headline.ts";
import { headlineText } from "../../../explorer/src/data/headline-text.ts";
import { changesByPart } from "../../../explorer/src/data/value-changes.ts";

const DAY = 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;
const days = (count: number) => Float64Array.from({ length: count }, (_, day) => START + day * DAY);
const text = (values: readonly number[], unit: "usd" | "share" | "ratio" = "usd", look = PLAIN) => {
  const column = Float64Array.from(values);
  const headline = headlineOf(days(values.length), column, changesByPart({ unit, look }, column));
  return headlineText(headline!, unit).replaceAll("\u202f", " ");
};

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
  expect(headlineOf(days(2), Float64Array.of(Number.NaN, Number.NaN), true)).toBe(null);
  // The last day with a value counts.
  expect(text([1, 2, Number.NaN])).toBe("$2 on 2 Jan 2024.");
});

it("tells changes of shares in percentage points", () => {
  const [first, ...others] = [0.405, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.447];
  expect(text([first!, ...others], "share")).toBe("44.7 % on 8 Jan 2024: +4.20 pp in 7 days.");
});

it("tells no per cent of what may be below zero", () => {
  // NUPL has risen from 0.01 to 0.13 within a week, which isn't +1,200 %.
  expect(text([0.01, 1, 1, 1, 1, 1, 1, 0.13], "ratio", AROUND_ZERO)).toBe("0.1300 on 8 Jan 2024: +0.1200 in 7 days.");
  // So does a formula of which nothing is known but its values.
  expect(text([-1, 2, 3, 4, 5, 6, 7, 8])).toBe("$8 on 8 Jan 2024: +$9 in 7 days.");
  expect(text([9, 2, 3, 4, 5, 6, 7, -8])).toBe("−$8 on 8 Jan 2024: −$17 in 7 days.");
});

it("never says 0 % of all days", () => {
  const still = Array.from({ length: 400 }, () => 0);
  expect(text([...still, 0])).toContain(
    "The same as on each of all days, the same as on each of those of the last year.",
  );
  expect(text([...still, 0, 1, 0])).toContain("The same as on 99 % of all days");
  const value = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 91, maxLength: 400 }), (values) => {
      expect(text(values)).not.toMatch(/on 0 % of/);
    }),
  );
});

it("counts as one would by hand", () => {
  const value = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: -5, max: 5 }) },
    { weight: 1, arbitrary: fc.constant(Number.NaN) },
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 500 }), (values) => {
      const headline = headlineOf(days(values.length), Float64Array.from(values), true);
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
      for (const change of headline!.changes) {
        const before = values[last - change.days]!;
        expect("part" in change && (1 + change.part) * before).toBeCloseTo(values[last]!, 9);
      }
    }),
  );
});
