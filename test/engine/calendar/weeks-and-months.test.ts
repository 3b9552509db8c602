/** Weeks and months, worked by hand, compared with the engine and the reference. Source: docs/methodology.md §5. */

import { describe, expect, it } from "vitest";
import { allSeries } from "../../in-memory/engine.ts";
import { prepareTimeline } from "../../in-memory/timeline.ts";
import { compareSeries } from "../../reference/compare.ts";
import { reference, type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { toEngineInput } from "../engine-input.ts";
import { ALICE, at, BOB, LEAP, tokenOf } from "../leap-weeks.ts";
import { runEngine } from "../run-engine.ts";

/** The points of a series, by date. */
function points(of: Token, metric: string, resolution: string, selector = "total") {
  const { series } = runEngine(of);
  expect(compareSeries(series, reference(of))).toEqual([]);
  const found = series.get(`${metric}|${resolution}|${selector}`) ?? [];
  return Object.fromEntries(found.map(({ t, v }) => [new Date(t * 1000).toISOString().slice(0, 10), v]));
}

describe("weeks around a leap day", () => {
  // The first week begins two days before the first event. The last, of 11 March, is not complete: it has no point.
  it.each<[string, number[]]>([
    ["volume", [10, 20 + 10, 5]],
    ["volume_dollar", [20, 100 + 10, 15]],
    ["moved_coins_cost_basis", [10, 20 + 40, 5]],
    ["num_transfers", [1, 2, 1]],
    // The second week has days of 100 / 20 and 10 / 40.
    ["sopr", [20 / 10, 110 / 60, 15 / 5]],
    ["moved_coins_realised_price", [1, 60 / 30, 1]],
    ["sopr_profit", [2, 100 / 20, 3]],
    ["realised_profit", [10, 80, 10]],
    ["price", [2, 1, 3]],
    ["supply", [100, 100, 100]],
    ["market_cap", [200, 100, 300]],
    // Alice 90 at 1, Bob 10 at 2. Alice 70 at 1, Bob 20 at 4, Carol 10 at 1. Then Bob 25 at 4 + (3 − 4) · 5 / 25.
    ["realised_cap", [110, 160, 70 + 25 * 3.8 + 5]],
    ["realised_price", [1.1, 1.6, 1.7]],
  ])("%s", (metric, [first, second, third]) => {
    const selector = { num_transfers: "all", price: "-" }[metric];
    expect(points(LEAP, metric, "week", selector)).toEqual({
      "2024-02-19": first,
      "2024-02-26": second,
      "2024-03-04": third,
    });
  });

  it("sopr_loss has a point in the one week with a loss", () => {
    expect(points(LEAP, "sopr_loss", "week")).toEqual({ "2024-02-26": 10 / 40 });
    expect(points(LEAP, "realised_loss", "week")).toEqual({ "2024-02-26": 30 });
  });
});

describe("months around a leap day", () => {
  it.each<[string, number]>([
    // The week of 26 February counts in both months, day by day.
    ["volume", 10 + 20],
    ["volume_dollar", 20 + 100],
    ["sopr", 120 / 30],
    ["realised_profit", 10 + 80],
    // The close of 29 February.
    ["price", 5],
    ["market_cap", 500],
    ["realised_price", (70 + 30 * 4) / 100],
    ["num_addresses", 2],
  ])("%s", (metric, february) => {
    // March is not complete.
    expect(points(LEAP, metric, "month", metric === "price" ? "-" : undefined)).toEqual({ "2024-02-01": february });
  });
});

it("week 53 of 2020 spans two years; it is complete when its Sunday is", () => {
  const moves: [string, string, string, bigint][] = [
    ["2020-12-30T10:00", ZERO_ADDRESS, ALICE, 9n],
    ["2020-12-31T10:00", ALICE, BOB, 2n],
    ["2021-01-03T23:59", ALICE, BOB, 3n],
  ];
  const until = (asOf: string) => tokenOf(asOf, [], moves);
  expect(points(until("2021-01-04"), "volume", "week")).toEqual({ "2020-12-28": 5 });
  expect(points(until("2021-01-04"), "volume", "month")).toEqual({ "2020-12-01": 2 });
  expect(points(until("2021-01-03T23:59"), "volume", "week")).toEqual({});
  // Without a price there is no point of it.
  expect(points(until("2021-01-04"), "price", "week", "-")).toEqual({});
});

it("a week in which nothing happened has its states, but no flows and no ratios", () => {
  const idle = tokenOf(
    "2024-03-18",
    [["2024-02-28", 2]],
    [
      ["2024-02-28T10:00", ZERO_ADDRESS, ALICE, 9n],
      ["2024-02-29T10:00", ALICE, BOB, 9n],
    ],
  );
  expect(points(idle, "volume", "week")).toEqual({ "2024-02-26": 9 });
  expect(points(idle, "sopr", "week")).toEqual({ "2024-02-26": 1 });
  expect(points(idle, "supply", "week")).toEqual({ "2024-02-26": 9, "2024-03-04": 9, "2024-03-11": 9 });
  expect(points(idle, "realised_price", "week", "cex")).toEqual({});
});

describe("a checkpoint holds what the open week and month add up to", () => {
  function openBucketsAt(asOf: string) {
    const { history, prices, groups, parameters } = toEngineInput({ ...LEAP, asOf: at(asOf) });
    const timeline = prepareTimeline(history, prices, groups, parameters);
    const all = allSeries(timeline);
    let next = all.next();
    while (!next.done) next = all.next();
    return next.value.checkpoint!.openBuckets;
  }

  it("after the leap day, in the middle of a week, at the end of a month", () => {
    const { week, month } = openBucketsAt("2024-03-01");
    expect([week.from, month.from]).toEqual([at("2024-02-26"), at("2024-03-01")]);
    expect(month.sums).toEqual({});
    expect(week.sums.volume!.total).toEqual([20]);
    expect(week.sums.realised_profit!.total).toEqual([80]);
    // Numerator and denominator: no series shows those of sopr_profit.
    expect(week.sums.sopr_profit!.total).toEqual([100, 20]);
    expect(week.sums).not.toHaveProperty("sopr_loss");
  });

  it("at the end of a week", () => {
    const { week, month } = openBucketsAt("2024-03-04");
    expect(week).toEqual({ from: at("2024-03-04"), sums: {} });
    expect(month.from).toBe(at("2024-03-01"));
    expect(month.sums.sopr_loss!.total).toEqual([10, 40]);
    expect(month.sums.realised_loss!.users).toEqual([30]);
  });
});
