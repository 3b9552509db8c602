/** What verify says of lots that don't add up. */

import { describe, expect, it } from "vitest";
import type { Series } from "../../../builder/engine/series.ts";
import { lotEquations, lotProblems, lotsByMetric, withAddresses } from "../../../builder/published/verify/lot-rules.ts";
import { daysBetween, solveAll } from "../../../builder/published/verify/rules/solve.ts";
import type { MetricName } from "../../../data-schema/registry/metrics.ts";

const DAY = 86_400;
const FIRST = 20_000 * DAY;
const run = (selector: string, ...v: number[]): Series => ({
  selector,
  t: Float64Array.from(v, (_, day) => FIRST + day * DAY),
  v: Float64Array.from(v),
});

/** 100 are minted at $1, of which 40 are sent at $2 on the second day. */
const LOTS = {
  "volume:fifo": [0, 40],
  "volume_dollar:fifo": [0, 80],
  "moved_coins_cost_basis:fifo": [0, 40],
  "realised_profit:fifo": [0, 40],
  "realised_profit_asset:fifo": [0, 40],
  "supply:fifo": [100, 100],
  "market_cap:fifo": [100, 200],
  "realised_cap:fifo": [100, 140],
  "realised_price:fifo": [1, 1.4],
  "moved_coins_realised_price:fifo": [0, 1],
  "mean_age:fifo": [0.5, 1.1],
  "unrealised_profit:fifo": [0, 60],
  "coin_days_held:fifo": [50, 110],
  "coin_days_destroyed:fifo": [0, 40],
};
const ADDRESSES = { volume: [0, 40], volume_dollar: [0, 80], supply: [100, 100], market_cap: [100, 200] };
const MINTED = { minted: [100, 0], minted_dollar: [100, 0] };

function problemsOf(changed: Record<string, number[]>): string[] {
  const lots = lotsByMetric(Object.entries({ ...LOTS, ...changed }).map(([name, v]) => run(name, ...v)));
  const addresses = new Map(
    Object.entries({ ...ADDRESSES, ...MINTED, burned: [0, 0] }).map(([metric, v]) => [
      metric as MetricName,
      new Map([["total", run("total", ...v)]]),
    ]),
  );
  const days = daysBetween(FIRST, FIRST + DAY);
  return solveAll("day", withAddresses(lots, addresses), { days, highestPrice: 2 }, lotEquations("fifo")).problems;
}

describe("the equations of lots", () => {
  it("hold for lots that follow from each other", () => {
    expect(problemsOf({})).toEqual([]);
  });

  it.each([
    ["volume:fifo", [0, 41], "volume(fifo) = volume(total)"],
    ["supply:fifo", [100, 99], "supply(fifo) = supply(total)"],
    ["realised_cap:fifo", [100, 141], "realised_cap(fifo) + moved_coins_cost_basis(fifo) ≤"],
    ["coin_days_held:fifo", [50, 100], "≤ coin_days_held(fifo) + coin_days_destroyed(fifo)"],
    ["realised_profit:fifo", [0, 39], "realised_profit(fifo) + moved_coins_cost_basis(fifo)"],
    ["supply:fifo.users", [0, 7], "supply(fifo.users)"],
  ])("name what is wrong where %s is %j", (name, v, text) => {
    expect(problemsOf({ [name]: v }).join("\n")).toContain(text);
  });
});

it("an object has the series of its method, in their order", () => {
  const bounds = { t: { from: FIRST, to: FIRST + 2 * DAY } };
  const problems = (...names: string[]) =>
    lotProblems(
      "fifo",
      "day",
      names.map((name) => run(name, 1)),
      bounds,
    );
  expect(problems("sopr:fifo", "sopr:fifo.users", "supply:fifo")).toEqual([]);
  expect(problems("supply:lifo")).toEqual(["it has supply:lifo, which is no series of fifo"]);
  expect(problems("num_addresses:fifo")).toEqual(["it has num_addresses:fifo, which is no series of fifo"]);
  expect(problems("sopr:fifo.users", "sopr:fifo").join()).toContain("is not in the order of the registry");
});
