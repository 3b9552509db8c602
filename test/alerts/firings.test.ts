import fc from "fast-check";
import { expect, it } from "vitest";
import { firingsOf } from "../../builder/alerts/firings.ts";
import { readCondition } from "../../data-schema/formula/condition.ts";
import { FORMULA_NAMES } from "../../data-schema/formula/measures.ts";

const _ = Number.NaN;
const DAY = 86_400;

/** The rows at which a rule fires, of a price and a supply by day. */
function rows(when: string, forRows: number, price: number[], supply = price.map(() => 1)): number[] {
  const condition = readCondition(when, FORMULA_NAMES);
  const t = Float64Array.from(price, (_, day) => day * DAY);
  const of = ({ metric }: { metric: string }) => Float64Array.from(metric === "price" ? price : supply);
  return firingsOf({ condition, rows: forRows }, { t, of }).map((firing) => firing.t / DAY);
}

it.each([
  ["price < 2", 1, [3, 1, 1, 3, 1], [1, 4]],
  // The first row counts: before it, nothing was true.
  ["price < 2", 1, [1, 1], [0]],
  ["price < 2", 2, [1, 1, 1, 3, 1, 3, 1, 1], [1, 7]],
  // A missing row is not true.
  ["price < 2", 2, [1, _, 1, 1], [3]],
  ["price >= 2", 1, [1, 2, 3], [1]],
  ["2 <= price", 1, [1, 2, 3], [1]],
  ["price > lag(price)", 1, [1, 2, 3, 2, 3], [1, 4]],
  ["max(price) <= price", 1, [5, 1, 5, 6], [0, 2]],
  ["price / 0 > 1", 1, [1, 2], []],
])("%s, %d rows in a row, of %j fires at %j", (when, forRows, price, expected) => {
  expect(rows(when, forRows, price)).toEqual(expected);
});

it("counts rows of the condition's own series", () => {
  // For the price alone, a row without one is no row.
  expect(rows("sma(price, 2) < supply", 1, [1, 1, _, 1], [0, 2, 2, 2])).toEqual([1, 3]);
});

it("fires where a slow count finds it", () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(_));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (price, n) => {
      const isTrue = price.map((one) => one < 2);
      const expected = price.flatMap((_, row) => {
        const run = isTrue.slice(Math.max(0, row - n + 1), row + 1);
        const isLong = run.length === n && run.every(Boolean);
        return isLong && isTrue[row - n] !== true ? [row] : [];
      });
      expect(rows("price < 2", n, price)).toEqual(expected);
    }),
  );
});
