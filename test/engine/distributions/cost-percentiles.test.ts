/** Percentiles of costs: by hand, and against a sum of ever so small parts. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costPercentiles, costWithin } from "../../../builder/engine/distributions/cost-percentiles.ts";
import { COST_BUCKETS, costBucket, costEdge } from "../../../data-schema/registry/distributions.ts";
import { tries } from "../../effort.ts";

/** The number of a bucket `k…`. */
const k = (step: number) => step + 1_201;
const within = (step: number, part: number) => costEdge(step) * (costEdge(step + 1) / costEdge(step)) ** part;

describe("the percentiles of costs", () => {
  it("are those of the example of the methodology", () => {
    const [p05, p10, p25, p50, p75, p90, p95] = costPercentiles([
      { bucket: k(15), supply: 120n },
      { bucket: k(24), supply: 40n },
    ])!;
    for (const [value, step, part] of [
      [p05, 15, 8 / 120],
      [p10, 15, 16 / 120],
      [p25, 15, 40 / 120],
      [p50, 15, 80 / 120],
      [p90, 24, 24 / 40],
      [p95, 24, 32 / 40],
    ] as const) {
      expect(value! / within(step, part)).toBeCloseTo(1, 14);
    }
    // Reached exactly, at the end.
    expect(p75).toBe(costEdge(16));
    expect([p50!.toFixed(4), p75!.toFixed(4), p90!.toFixed(4)]).toEqual(["2.4641", "2.5119", "4.1210"]);
  });

  it("are exact where doubles are not: a raw unit more is in the next bucket", () => {
    const half = 10n ** 30n;
    const at = (more: bigint) =>
      costPercentiles([
        { bucket: k(0), supply: half },
        { bucket: k(40), supply: half + more },
      ])![3]!;
    expect(at(0n)).toBe(costEdge(1));
    expect(at(-1n)).toBeLessThanOrEqual(costEdge(1));
    expect(at(1n)).toBe(costEdge(40));
  });

  it("are 0 in the bucket of what was free, and the inner edge in the first and the last", () => {
    const all = (bucket: number) => costPercentiles([{ bucket, supply: 7n }]);
    expect(all(0)).toEqual(Array(7).fill(0));
    expect(all(1)).toEqual(Array(7).fill(costEdge(-1_199)));
    expect(all(COST_BUCKETS - 1)).toEqual(Array(7).fill(1e30));
    expect(costPercentiles([])).toBeUndefined();
  });

  it("follow the power of the bucket's edges, and stay within them", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_199, max: 1_199 }), fc.double({ min: 0, max: 1, noNaN: true }), (step, part) => {
        const value = costWithin(costBucket(k(step)), part);
        expect(Math.abs(value / within(step, part) - 1)).toBeLessThan(2e-15);
        expect(value).toBeGreaterThanOrEqual(costEdge(step));
        expect(value).toBeLessThanOrEqual(costEdge(step + 1));
      }),
      { numRuns: tries(300) },
    );
  });

  it("ascend, and are those of tokens taken one by one", () => {
    const buckets = fc.dictionary(fc.integer({ min: -3, max: 12 }).map(String), fc.integer({ min: 1, max: 30 }), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(buckets, (held) => {
        const ascending = Object.entries(held)
          .map(([step, supply]) => ({ step: Number(step), supply }))
          .sort((a, b) => a.step - b.step);
        const costs = costPercentiles(
          ascending.map(({ step, supply }) => ({ bucket: k(step), supply: BigInt(supply) })),
        )!;
        expect(costs.toSorted((a, b) => a - b)).toEqual(costs);
        // A hundred parts of each token, each with its place in its bucket.
        const parts = ascending.flatMap(({ step, supply }) =>
          Array.from({ length: 100 * supply }, (_, i) => within(step, (i + 1) / (100 * supply))),
        );
        for (const [i, percent] of [5, 10, 25, 50, 75, 90, 95].entries()) {
          expect(costs[i]! / parts[(percent * parts.length) / 100 - 1]!).toBeCloseTo(1, 12);
        }
      }),
      { numRuns: tries(100) },
    );
  });
});
