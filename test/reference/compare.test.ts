import { describe, expect, it } from "vitest";
import { compareSeries } from "./compare.ts";
import type { Point } from "./reference.ts";

/** Points of one day series from 1970-01-01 on; null for a day without a point. */
function days(key: string, ...values: (number | null)[]): [string, Point[]] {
  const points = values.flatMap((v, i) => (v === null ? [] : [{ t: 86_400 * i, v }]));
  return [`${key.replace("|", "|day|")}`, points];
}

describe("compareSeries", () => {
  it.each([
    { what: "a relative difference of 1e-9", actual: days("volume|total", 1e6 + 0.000_9), expected: 1e6, same: true },
    { what: "more than that", actual: days("volume|total", 1e6 + 0.001_1), expected: 1e6, same: false },
    {
      what: "a count that is off by the least",
      actual: days("num_addresses|total", 1 + 1e-15),
      expected: 1,
      same: false,
    },
    { what: "a NaN", actual: days("sopr|total", Number.NaN), expected: 1, same: false },
    { what: "a sum's missing point", actual: days("volume|total", null), expected: 1, same: false },
    { what: "a point that is zero in a sum", actual: days("volume|total", 0), expected: null, same: false },
    { what: "a point that is zero in a ratio", actual: days("sopr_loss|total", 0), expected: 0, same: true },
    { what: "a ratio's missing point", actual: days("sopr_loss|total", null), expected: 0, same: false },
    { what: "a ratio's point too many", actual: days("sopr_loss|total", 0), expected: null, same: false },
    { what: "a metric that is none", actual: days("prices|total", 1), expected: 1, same: false },
  ])("judges $what", ({ actual: [key, points], expected, same }) => {
    const wanted = expected === null ? [] : [{ t: 0, v: expected }];
    expect(compareSeries(new Map([[key, points]]), new Map([[key, wanted]]))).toHaveLength(same ? 0 : 1);
  });

  it("takes an absent series for an empty one", () => {
    expect(compareSeries(new Map([days("volume|total")]), new Map([days("volume|users")]))).toEqual([]);
    expect(compareSeries(new Map(), new Map([days("volume|total", 5)]))).toEqual([
      "volume|day|total at 1970-01-01T00:00:00.000Z: no point instead of 5",
    ]);
  });

  it("allows realised profit 1e-11 of the same cohort's volume, where P − a cancels", () => {
    const expected = new Map([days("realised_profit|users", 1), days("volume_dollar|users", 1e6)]);
    const off = (by: number) => new Map([...expected, days("realised_profit|users", 1 + by)]);
    expect(compareSeries(off(0.000_009), expected)).toEqual([]);
    expect(compareSeries(off(0.000_011), expected)).toHaveLength(1);
  });

  it("wants points in ascending order, each once", () => {
    const [key, points] = days("volume|total", 1, 2);
    expect(compareSeries(new Map([[key, points.toReversed()]]), new Map([[key, points]]))).toHaveLength(1);
    const blocks: [string, Point[]] = ["volume|block|total", [7, 8].map((block) => ({ t: 60, block, v: 1 }))];
    expect(compareSeries(new Map([blocks]), new Map([blocks]))).toEqual([]);
    const twice: [string, Point[]] = ["volume|block|total", [7, 8, 8].map((block) => ({ t: 60, block, v: 1 }))];
    expect(compareSeries(new Map([twice]), new Map([blocks]))).toHaveLength(1);
  });
});
