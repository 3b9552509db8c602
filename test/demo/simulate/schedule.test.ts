import { expect, test } from "vitest";
import { simulateMarket } from "../../../builder/demo/simulate/market.ts";
import { Random } from "../../../builder/demo/simulate/random.ts";
import { blocks, spread } from "../../../builder/demo/simulate/schedule.ts";

const START = Date.UTC(2022, 7, 1) / 1000;

test("transfers are spread exactly, by activity, and not before the first hour", () => {
  const activity = new Float64Array(240).fill(1).fill(5, 120, 144);
  const hours = spread(100_000, START, 12, activity, new Random(1, 1));
  const sum = (from: number, to: number) => hours.subarray(from, to).reduce((total, count) => total + count, 0);
  expect(sum(0, 240)).toBe(100_000);
  expect(sum(0, 12)).toBe(0);
  expect(sum(120, 144)).toBeGreaterThan(2 * sum(144, 168));
});

test("blocks rise with time at 12 seconds each, as on Ethereum, through the Merge", () => {
  const ordinary = new Uint32Array(24 * 60).fill(40);
  const bursts = [{ purpose: "airdrop", hour: 100, transfers: 1_000, transfersPerBlock: 300 }] as const;
  const seen: { block: number; timestamp: number; purpose: string; transfers: number }[] = [];
  for (const block of blocks({ start: START, ordinary, bursts }, new Random(1, 1))) seen.push({ ...block });

  expect(seen.reduce((total, { transfers }) => total + transfers, 0)).toBe(24 * 60 * 40 + 1_000);
  expect(seen.filter(({ purpose }) => purpose === "airdrop").map(({ transfers }) => transfers)).toEqual([
    300, 300, 300, 100,
  ]);
  for (let index = 1; index < seen.length; index++) {
    const passed = seen[index]!.block - seen[index - 1]!.block;
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(seen[index]!.timestamp - seen[index - 1]!.timestamp).toBe(passed * 12);
  }
  const merge = 15_537_394;
  const firstAfter = seen.find(({ block }) => block >= merge)!;
  expect(firstAfter.timestamp).toBe(1_663_224_179 + 12 * (firstAfter.block - merge));
});

test("prices of every seed and length rise and fall between $0.05 and $20", () => {
  for (let seed = 0; seed < 20; seed++) {
    for (const days of [30, 365, 3_300]) {
      const { usd, regime } = simulateMarket(days * 24, new Random(seed, 1));
      const lowest = usd.reduce((least, price) => Math.min(least, price));
      const highest = usd.reduce((most, price) => Math.max(most, price));
      expect(lowest).toBeGreaterThanOrEqual(0.05);
      expect(highest).toBeLessThanOrEqual(20);
      expect(highest / lowest).toBeGreaterThan(10);
      expect(new Set(regime)).toEqual(new Set(["calm", "bull", "bear", "crash"]));
    }
  }
});
