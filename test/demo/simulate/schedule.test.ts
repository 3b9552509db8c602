import { expect, test } from "vitest";
import { simulateMarket } from "../../../builder/demo/simulate/market.ts";
import { Random } from "../../../builder/demo/simulate/random.ts";
import { blocks, spread } from "../../../builder/demo/simulate/schedule.ts";

const START = Date.UTC(2022, 7, 1) / 1000;

test("transfers are spread exactly, by activity, and the first hour has more", () => {
  const activity = new Float64Array(240).fill(1).fill(5, 120, 144);
  const hours = spread(100_000, START, 40, activity, new Random(1, 1));
  const sum = (from: number, to: number) => hours.subarray(from, to).reduce((total, count) => total + count, 0);
  expect(sum(0, 240)).toBe(100_000);
  expect(sum(0, 9)).toBe(0);
  expect(hours[9]! - hours[10]!).toBeGreaterThan(20);
  expect(sum(120, 144)).toBeGreaterThan(2 * sum(144, 168));
});

test("blocks rise with time at 12 seconds each, as on Ethereum, through the Merge", () => {
  const hours = new Uint32Array(24 * 60).fill(40);
  const seen: { block: number; timestamp: number; transfers: number }[] = [];
  for (const block of blocks(START, hours, new Random(1, 1))) seen.push({ ...block });

  expect(seen.reduce((total, { transfers }) => total + transfers, 0)).toBe(24 * 60 * 40);
  for (let index = 1; index < seen.length; index++) {
    const passed = seen[index]!.block - seen[index - 1]!.block;
    expect(passed).toBeGreaterThan(0);
    expect(seen[index]!.timestamp - seen[index - 1]!.timestamp).toBe(passed * 12);
  }
  const merge = 15_537_394;
  const firstAfter = seen.find(({ block }) => block >= merge)!;
  expect(firstAfter.timestamp).toBe(1_663_224_179 + 12 * (firstAfter.block - merge));
});

test("prices of every seed and length rise and fall several times over", () => {
  for (let seed = 0; seed < 20; seed++) {
    for (const days of [30, 365, 3_300]) {
      const { usd, heat } = simulateMarket(days * 24, new Random(seed, 1));
      let [top, fall] = [0, 1];
      for (const price of usd) {
        top = Math.max(top, price);
        fall = Math.max(fall, top / price);
      }
      expect(top / usd[0]!).toBeGreaterThan(2);
      expect(fall).toBeGreaterThan(1.25);
      expect(usd.reduce((least, price) => Math.min(least, price))).toBeGreaterThan(0.1);
      expect(Math.max(...heat)).toBeGreaterThan(0.4);
      expect(Math.min(...heat)).toBe(0);
    }
  }
});
