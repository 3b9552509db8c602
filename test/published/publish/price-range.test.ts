import { describe, expect, test } from "vitest";
import { priceRange } from "../../../builder/published/publish/make-manifest.ts";
import { MAX_PRICE_GAPS } from "../../../data-schema/stored.ts";

const DAY = 86_400;

const pricesAt = (...times: number[]) => ({ timestamp: Float64Array.from(times) });

describe("when there is a price", () => {
  test("without one before the as-of time there is no range", () => {
    expect(priceRange(pricesAt(), 100)).toBeUndefined();
    expect(priceRange(pricesAt(100, 200), 100)).toBeUndefined();
  });

  test("a price holds for seven days without being marked", () => {
    expect(priceRange(pricesAt(0, 7 * DAY), 14 * DAY)).toEqual({ first: 0, last: 7 * DAY, gaps: [] });
    const gaps = [
      [0, 7 * DAY + 1],
      [7 * DAY + 1, 15 * DAY],
    ];
    expect(priceRange(pricesAt(0, 7 * DAY + 1), 15 * DAY)).toEqual({ first: 0, last: 7 * DAY + 1, gaps });
  });

  test("prices after the as-of time do not end a gap", () => {
    expect(priceRange(pricesAt(0, 30 * DAY), 20 * DAY)).toEqual({ first: 0, last: 0, gaps: [[0, 20 * DAY]] });
  });

  test("the longest gaps are listed, in order, and the others counted", () => {
    const times = Array.from({ length: MAX_PRICE_GAPS + 4 }, (_, index) => 10 * DAY * index + DAY * index * index);
    const { gaps, moreGaps } = priceRange(pricesAt(...times), times.at(-1)! + 1)!;
    expect(gaps).toEqual(times.slice(3, -1).map((time, index) => [time, times[index + 4]]));
    expect(moreGaps).toBe(3);
  });
});
