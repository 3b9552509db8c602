/** Whether the simulated token behaves as tokens do: bands that hold for every seed. */

import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { AGE_COHORTS } from "../../../data-schema/registry/cohorts.ts";
import { tries } from "../../effort.ts";
import { allSeries } from "../../in-memory/engine.ts";
import { readInput, timelineOf } from "../../in-memory/input.ts";
import { simulated } from "./simulated.ts";

const DAYS = 3 * 365;
/** With more effort, all of them. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].slice(0, tries(2));

/** The values of each day, by `metric:selector`; NaN where a day has no point. */
async function daysOf(seed: number): Promise<(name: string) => number[]> {
  const asset = await readAsset(join(await simulated({ seed, transfers: 200_000, days: DAYS }), "asset.json"));
  const columns = new Map<string, number[]>();
  const start = asset.asOf! - DAYS * 86_400;
  for (const [resolution, metrics] of allSeries(timelineOf(asset, await readInput(asset)), { blocks: false })) {
    for (const [metric, runs] of metrics) {
      for (const { selector, t, v } of resolution === "day" ? runs : []) {
        const name = `${metric}:${selector}`;
        const column = columns.get(name) ?? new Array<number>(DAYS).fill(Number.NaN);
        t.forEach((time, point) => {
          column[(time - start) / 86_400] = v[point]!;
        });
        columns.set(name, column);
      }
    }
  }
  return (name) => columns.get(name) ?? new Array<number>(DAYS).fill(Number.NaN);
}

const ratios = (numerators: number[], denominators: number[]) =>
  numerators.map((value, day) => (value || 0) / denominators[day]!);

function quantile(values: readonly number[], share: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  const product = (x: readonly number[], y: readonly number[], [p, q]: [number, number]) =>
    x.reduce((sum, value, index) => sum + (value - p) * (y[index]! - q), 0);
  return product(a, b, [meanA, meanB]) / Math.sqrt(product(a, a, [meanA, meanA]) * product(b, b, [meanB, meanB]));
}

/** The highest price of each half of the history from which it fell by a quarter: the mean around it, and half a year later. */
function aroundTops(price: readonly number[], values: readonly number[]): [at: number, after: number][] {
  const half = Math.floor(DAYS / 2);
  return [0, half].flatMap((from) => {
    const prices = price.slice(from, from + half);
    const top = from + prices.indexOf(Math.max(...prices));
    const later = [top + 150, top + 210] as const;
    const hasFallen = mean(price.slice(...later)) < 0.75 * price[top]!;
    return hasFallen && later[1] <= DAYS
      ? [[mean(values.slice(top - 15, top + 15)), mean(values.slice(...later))]]
      : [];
  });
}

describe.each(SEEDS)("seed %i", (seed) => {
  let of: (name: string) => number[];
  let price: number[];
  let supply: number[];

  beforeAll(async () => {
    of = await daysOf(seed);
    price = of("price:total");
    supply = of("supply:total");
  });

  test("SOPR is mostly between 0.9 and 1.2, and dips below 1", () => {
    const sopr = of("sopr:total");
    expect(quantile(sopr, 0.05)).toBeGreaterThan(0.84);
    expect(quantile(sopr, 0.95)).toBeLessThan(1.22);
    expect(quantile(sopr, 0.5)).toBeGreaterThan(0.98);
    expect(quantile(sopr, 0.5)).toBeLessThan(1.08);
    const within = sopr.filter((value) => value >= 0.9 && value <= 1.2).length;
    expect(within / sopr.length).toBeGreaterThan(0.85);
    expect(sopr.filter((value) => value < 1).length / sopr.length).toBeGreaterThan(0.2);
  });

  test("MVRV is between 0.6 and 4 after the first quarter", () => {
    const mvrv = ratios(of("market_cap:total"), of("realised_cap:total")).slice(DAYS / 4);
    expect(Math.min(...mvrv)).toBeGreaterThan(0.6);
    expect(Math.max(...mvrv)).toBeLessThan(4);
    expect(Math.max(...mvrv)).toBeGreaterThan(1.6);
  });

  test("no age gains or loses more than 5 % of the supply in a day after the first year", () => {
    for (const age of AGE_COHORTS) {
      const share = ratios(of(`supply:${age}`), supply).slice(365);
      for (let day = 1; day < share.length; day++) expect(Math.abs(share[day]! - share[day - 1]!)).toBeLessThan(0.05);
    }
  });

  test("reserves of exchanges rise into tops and drain after; supply younger than three months swells", () => {
    const reserves = ratios(of("supply:cex"), supply);
    const young = AGE_COHORTS.slice(0, 4)
      .map((age) => ratios(of(`supply:${age}`), of("supply:users")))
      .reduce((sums, shares) => sums.map((sum, day) => sum + shares[day]!));
    expect(aroundTops(price, reserves).length).toBeGreaterThan(0);
    for (const [at, after] of aroundTops(price, reserves)) expect(at).toBeGreaterThan(1.15 * after);
    for (const [at, after] of aroundTops(price, young)) expect(at).toBeGreaterThan(1.15 * after);
  });

  test("transfers come when prices move", () => {
    const moves = price.map((usd, day) => (day === 0 ? 0 : Math.abs(usd / price[day - 1]! - 1)));
    expect(correlation(of("num_transfers:all"), moves)).toBeGreaterThan(0.25);
  });

  test("a few hold much, and many hold little", () => {
    const top = of("supply_top_100:users").at(-1)! / supply.at(-1)!;
    expect(top).toBeGreaterThan(0.05);
    expect(top).toBeLessThan(0.4);
    expect(of("num_addresses:$0-100").at(-1)!).toBeGreaterThan(1_000);
    expect(of("num_addresses:$1M-10M").at(-1)!).toBeGreaterThan(10);
  });
});
