import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meanOf, medianOf, pearson, quantileOf, spearman } from "../../../explorer/src/studies/statistics.ts";

const values = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 12 });
const pairs = fc
  .array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 })), { minLength: 2, maxLength: 12 })
  .map((both) => [both.map(([x]) => x), both.map(([, y]) => y)] as const);

/** Pearson's from the products of all pairs of rows: the sum of (xi − xk)(yi − yk). */
function slowPearson(x: readonly number[], y: readonly number[]): number {
  const sum = (a: readonly number[], b: readonly number[]) =>
    a.flatMap((_, i) => a.map((_, k) => (a[i]! - a[k]!) * (b[i]! - b[k]!))).reduce((all, one) => all + one, 0);
  return sum(x, x) === 0 || sum(y, y) === 0 ? Number.NaN : sum(x, y) / Math.sqrt(sum(x, x) * sum(y, y));
}

/** How many are lower, and half of those that are equal. */
const slowRanks = (all: readonly number[]) =>
  all.map((value) => all.filter((one) => one < value).length + (all.filter((one) => one === value).length + 1) / 2);

describe("a median", () => {
  it("is the middle value, or the mean of the two in the middle", () => {
    expect(medianOf([5, 1, 3])).toBe(3);
    expect(medianOf([5, 1, 3, 4])).toBe(3.5);
    expect(medianOf([])).toBeNaN();
    expect(meanOf([])).toBeNaN();
  });

  it("has as many values on either side", () => {
    fc.assert(
      fc.property(values, (all) => {
        const middle = medianOf(all);
        const [below, above] = [all.filter((one) => one < middle), all.filter((one) => one > middle)];
        expect(Math.max(below.length, above.length)).toBeLessThanOrEqual(all.length / 2);
      }),
    );
  });
});

it("a quantile is linear between two values", () => {
  expect([0, 0.25, 0.5, 0.9, 1].map((share) => quantileOf([10, 20, 40], share))).toEqual([10, 15, 20, 36, 40]);
});

describe("a correlation", () => {
  it("is worked out by hand", () => {
    // Deviations −1, 0, 1 and −2, 1, 1: 3 / √(2 · 6).
    expect(pearson([1, 2, 3], [0, 3, 3])).toBeCloseTo(3 / Math.sqrt(12), 14);
    // Ranks 1, 2, 3 and 1, 2.5, 2.5: 1.5 / √(2 · 1.5).
    expect(spearman([1, 2, 3], [0, 3, 3])).toBeCloseTo(1.5 / Math.sqrt(3), 14);
    expect(spearman([1, 2, 3, 4], [1, 10, 100, 1000])).toBe(1);
    expect(spearman([1, 2, 3, 4], [1000, 100, 10, 1])).toBe(-1);
  });

  it("is none where one side never changes", () => {
    expect(pearson([1, 2, 3], [4, 4, 4])).toBeNaN();
    expect(spearman([7, 7], [1, 2])).toBeNaN();
    expect(pearson([], [])).toBeNaN();
  });

  it("is that of the definition", () => {
    fc.assert(
      fc.property(pairs, ([x, y]) => {
        const isSame = (a: number, b: number) => (Number.isNaN(b) ? expect(a).toBeNaN() : expect(a).toBeCloseTo(b, 12));
        isSame(pearson(x, y), slowPearson(x, y));
        isSame(spearman(x, y), slowPearson(slowRanks(x), slowRanks(y)));
      }),
    );
  });
});
