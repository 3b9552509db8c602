/** Deals assets to tasks by what their builds cost. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CostedAsset, deal } from "../../../builder/build/fleet/deal.ts";

const costed = (costs: Record<string, number>): CostedAsset[] =>
  Object.entries(costs).map(([file, cost]) => ({ file, cost }));

describe("deal", () => {
  it("gives the most expensive asset left to the task with the least", () => {
    // 9 | 7 | 5 5 → 9 | 7 4 | 5 5: the last one goes to the first of those with 9 and 10.
    expect(deal(costed({ a: 5, b: 9, c: 5, d: 7, e: 4, f: 1 }), 3)).toEqual([
      { cost: 10, assets: ["b", "f"] },
      { cost: 11, assets: ["d", "e"] },
      { cost: 10, assets: ["a", "c"] },
    ]);
  });

  it("leaves tasks without assets if there are more tasks", () => {
    expect(deal(costed({ a: 1 }), 2)).toEqual([
      { cost: 1, assets: ["a"] },
      { cost: 0, assets: [] },
    ]);
  });

  it("gives each asset to one task, whatever their order, and no task more than the mean and one asset", () => {
    const assets = fc.uniqueArray(fc.record({ file: fc.string(), cost: fc.integer({ min: 1, max: 1e9 }) }), {
      selector: ({ file }) => file,
      minLength: 1,
    });
    fc.assert(
      fc.property(assets, fc.integer({ min: 1, max: 12 }), (assets, tasks) => {
        const hands = deal(assets, tasks);
        expect(hands).toHaveLength(tasks);
        expect(hands.flatMap(({ assets }) => assets).sort()).toEqual(assets.map(({ file }) => file).sort());
        const costs = new Map(assets.map(({ file, cost }) => [file, cost]));
        const all = assets.reduce((sum, { cost }) => sum + cost, 0);
        for (const { cost, assets } of hands) {
          expect(cost).toBe(assets.reduce((sum, file) => sum + costs.get(file)!, 0));
          expect(cost).toBeLessThanOrEqual(all / tasks + Math.max(...costs.values()));
        }
        expect(deal(assets.toReversed(), tasks)).toEqual(hands);
      }),
    );
  });
});
