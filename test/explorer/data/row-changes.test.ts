/** The most unusual changes of a day, against examples worked by hand. */

import { describe, expect, it } from "vitest";
import { AROUND_ZERO, PLAIN } from "../../../data-schema/registry/natural-looks.ts";
import type { CatalogMetric } from "../../../explorer/src/api/catalog.ts";
import { largestChanges } from "../../../explorer/src/data/row-changes.ts";
import { catalog } from "../catalog.ts";

const metric = (name: string, changes: Partial<CatalogMetric> = {}): CatalogMetric => ({
  ...catalog.metrics[0]!,
  name,
  unit: "usd",
  look: PLAIN,
  ...changes,
});

/** Grows by one step after the other, from 100. */
function walk(steps: readonly number[]): number[] {
  const values = [100];
  for (const step of steps) values.push(values.at(-1)! + step);
  return values;
}

const differences = { unit: "share" as const };

describe("largestChanges", () => {
  it("says on what share of the days before a change was smaller", () => {
    // Forty changes of 1 to 40, then one of 30: 29 were smaller.
    const steps = Array.from({ length: 40 }, (_, i) => i + 1);
    const [change] = largestChanges([{ metric: metric("a", differences), values: walk([...steps, -30]) }], 5);
    expect(change).toMatchObject({ percentile: 29 / 40, isByPart: false });
    expect(change!.value - change!.before).toBe(-30);
  });

  it("compares parts of the value before, unless values may be below zero", () => {
    const values = [...Array.from({ length: 41 }, (_, i) => 100 * 1.01 ** i), 100 * 1.01 ** 40 * 1.005];
    const [byPart] = largestChanges([{ metric: metric("a"), values }], 1);
    expect(byPart).toMatchObject({ percentile: 0, isByPart: true });
    const [difference] = largestChanges([{ metric: metric("a", { look: AROUND_ZERO }), values }], 1);
    expect(difference!.isByPart).toBe(false);
  });

  it("has the most unusual first, and those beyond all before by how far they are", () => {
    const quiet = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 1 : -1));
    const of = (name: string, last: number) => ({ metric: metric(name, differences), values: walk([...quiet, last]) });
    const usual = { metric: metric("usual", differences), values: walk([...quiet.slice(1), 3, 2]) };
    const found = largestChanges([usual, of("large", 5), of("still", 0), of("largest", -50)], 3);
    expect(found.map(({ metric }) => metric.name)).toEqual(["largest", "large", "usual"]);
    expect(largestChanges([usual, of("large", 5)], 1)).toHaveLength(1);
  });

  it("leaves out what has no value, and too short a past", () => {
    const steps = Array.from({ length: 40 }, () => 1);
    const missing = [...walk(steps), null];
    expect(largestChanges([{ metric: metric("a", differences), values: missing }], 5)).toEqual([]);
    expect(largestChanges([{ metric: metric("a", differences), values: walk(steps.slice(20)) }], 5)).toEqual([]);
    expect(largestChanges([{ metric: metric("a", differences), values: [] }], 5)).toEqual([]);
    // Growth from nothing is no part of it.
    const born = [...Array.from({ length: 40 }, () => 0), 5];
    expect(largestChanges([{ metric: metric("a"), values: born }], 5)).toEqual([]);
  });
});
