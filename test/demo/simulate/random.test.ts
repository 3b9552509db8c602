import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Random, WeightedChoice } from "../../../builder/demo/simulate/random.ts";

describe("Random", () => {
  test("gives the numbers it always gave: a seed names the same economy on every machine", () => {
    const random = new Random(1, 1);
    expect(Array.from({ length: 5 }, () => random.uint32())).toEqual([
      4097991310, 174395833, 9652337, 2566447049, 1973432786,
    ]);
  });

  test("streams and both halves of a seed lead to different numbers", () => {
    const sequences = [new Random(1, 1), new Random(1, 2), new Random(2, 1), new Random(1 + 2 ** 32, 1)];
    const firsts = sequences.map((random) => random.uint32());
    expect(new Set(firsts).size).toBe(4);
  });

  test("keeps to its ranges", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 2 ** 32 }), (seed, limit) => {
        const random = new Random(seed, 1);
        const below = random.below(limit);
        expect(Number.isInteger(below) && below >= 0 && below < limit).toBe(true);
        const magnitude = random.magnitude();
        expect(magnitude >= 0 && magnitude < 1).toBe(true);
        expect(Math.abs(random.bell())).toBeLessThanOrEqual(2 * Math.sqrt(3));
      }),
    );
  });

  test("bell has mean 0 and variance 1; a magnitude has mean 1/9, and is below 10^-d with probability 10^(-d/8)", () => {
    const random = new Random(7, 1);
    const draws = 100_000;
    let sum = 0;
    let squares = 0;
    let magnitudes = 0;
    let below = 0;
    for (let draw = 0; draw < draws; draw++) {
      const value = random.bell();
      sum += value;
      squares += value * value;
      const magnitude = random.magnitude();
      magnitudes += magnitude;
      if (magnitude < 1e-4) below++;
    }
    expect(sum / draws).toBeCloseTo(0, 1);
    expect(squares / draws).toBeCloseTo(1, 1);
    expect(magnitudes / draws).toBeCloseTo(1 / 9, 2);
    expect(below / draws).toBeCloseTo(10 ** -0.5, 2);
  });
});

test("a lottery draws in proportion to weight, and never what weighs nothing", () => {
  const lottery = new WeightedChoice(
    ["never", "seldom", "often"],
    (item) => ({ never: 0, seldom: 1, often: 3 })[item] ?? 0,
  );
  const random = new Random(3, 1);
  const counts = new Map<string, number>();
  for (let draw = 0; draw < 40_000; draw++) {
    const item = lottery.draw(random);
    counts.set(item, (counts.get(item) ?? 0) + 1);
  }
  expect(counts.get("never")).toBeUndefined();
  expect(counts.get("often")! / counts.get("seldom")!).toBeCloseTo(3, 0);
});
