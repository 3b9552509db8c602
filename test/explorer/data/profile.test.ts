import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HeatBucket, ServedDistribution } from "../../../explorer/src/data/heat.ts";
import { profileOf } from "../../../explorer/src/data/profile.ts";

/** A day of buckets of the width 1. */
const day = (held: Record<number, number>, free = 0): ServedDistribution => {
  const numbers = Object.keys(held).map(Number);
  return {
    t: [0],
    buckets: [{ from: null, to: null }, ...numbers.map((from) => ({ from, to: from + 1 }))],
    supply: [[free, ...numbers.map((number) => held[number]!)]],
  };
};
const step = ({ from }: HeatBucket) => from;

describe("a distribution at a day", () => {
  it("has a row for each bucket, the highest first", () => {
    expect(profileOf([day({ 3: 10, 5: 20 }, 7)], step)).toEqual({
      free: [7],
      rows: [
        { from: 5, to: 6, isOpen: { below: false, above: false }, tokens: [20] },
        { from: 3, to: 4, isOpen: { below: false, above: false }, tokens: [10] },
      ],
    });
  });

  it("stands beside that of another day", () => {
    expect(
      profileOf([day({ 3: 10 }), day({ 3: 4, 4: 6 })], step).rows.map(({ from, tokens }) => [from, tokens]),
    ).toEqual([
      [4, [0, 6]],
      [3, [10, 4]],
    ]);
  });

  it("has wider rows where there are many, and open ones for what is far out", () => {
    const many = Object.fromEntries(Array.from({ length: 48 }, (_, i) => [100 + i, 1000]));
    const { rows } = profileOf([day({ 1: 1, ...many, 900: 2 })], step);
    expect(rows).toHaveLength(24);
    expect(rows[0]).toEqual({ from: 146, to: 148, isOpen: { below: false, above: true }, tokens: [2002] });
    expect(rows.at(-1)).toEqual({ from: 100, to: 102, isOpen: { below: true, above: false }, tokens: [2001] });
  });

  it.each([[[]], [[day({})]], [[day({ 1: 0 }, 5)]]])("may be empty", (days) => {
    expect(profileOf(days, step).rows).toEqual([]);
  });

  it("loses and adds nothing", () => {
    const held = fc.dictionary(fc.integer({ min: 1, max: 2000 }).map(String), fc.integer({ min: 1, max: 1_000_000 }));
    fc.assert(
      fc.property(fc.array(held, { minLength: 1, maxLength: 2 }), (days) => {
        const { rows } = profileOf(
          days.map((one) => day(one)),
          step,
        );
        for (const [i, one] of days.entries()) {
          const all = Object.values(one).reduce((sum, tokens) => sum + tokens, 0);
          expect(rows.reduce((sum, { tokens }) => sum + tokens[i]!, 0)).toBe(all);
        }
        expect(rows.length).toBeLessThanOrEqual(24);
        for (const [i, row] of rows.entries()) if (i > 0) expect(row.to).toBeLessThanOrEqual(rows[i - 1]!.from);
      }),
    );
  });
});
