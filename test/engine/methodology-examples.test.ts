/** The examples of docs/methodology.md §9, by the reference and by the engine. */

import { describe, expect, it } from "vitest";
import { reference, type SeriesByKey, type Token, ZERO_ADDRESS } from "../reference/reference.ts";
import { runEngine } from "./run-engine.ts";

const DAY = 86_400;
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1) / 1000;

const addressOf = (name: string) =>
  name === "zero" ? ZERO_ADDRESS : `0x${Buffer.from(name).toString("hex").padStart(40, "0")}`;

/** A token without decimals whose events come at the beginnings of days, counted from a Monday; it costs a dollar. */
function token(
  days: number,
  events: readonly (readonly [day: number, from: string, to: string, value: number])[],
): Token {
  return {
    decimals: 0,
    maxSupply: "1000",
    asOf: MONDAY + days * DAY,
    transfers: events.map(([day, from, to, value], i) => ({
      block: i + 1,
      logIndex: 0,
      timestamp: MONDAY + day * DAY,
      from: addressOf(from),
      to: addressOf(to),
      value: BigInt(value),
    })),
    prices: [[MONDAY, 1]],
    exchanges: {},
    contracts: [],
  };
}

/** The points of a series, by day counted from the Monday. */
const points = (series: SeriesByKey, key: string) =>
  Object.fromEntries((series.get(key) ?? []).map(({ t, v }) => [(t - MONDAY) / DAY, v]));

describe.each([
  { who: "the reference", compute: reference },
  { who: "the engine", compute: (example: Token) => runEngine(example).series },
])("$who", ({ compute }) => {
  it.each([
    ["all it has", 200, 3_000],
    ["a half", 100, 1_500],
  ])("an address that tops up, and sends %s", (_, sent, destroyed) => {
    const series = compute(
      token(32, [
        [0, "zero", "ann", 100],
        [10, "zero", "ann", 100],
        [20, "ann", "bob", sent],
        [30, "zero", "ann", 50],
      ]),
    );
    expect(points(series, "coin_days_destroyed|day|total")).toEqual({ 20: destroyed });
    expect(points(series, "new_addresses|day|total")).toEqual({ 0: 1, 20: 1 });
    const isEmptied = sent === 200;
    expect(points(series, "addresses_emptied|day|total")).toEqual(isEmptied ? { 20: 1 } : {});
    expect(points(series, "addresses_funded|day|total")).toEqual({ 0: 1, 20: 1, ...(isEmptied && { 30: 1 }) });
    // Bob's coins are eleven days old at that close, and Ann's a day.
    if (isEmptied) expect(points(series, "mean_age|day|total")[30]).toBe((200 * 11 + 50 * 1) / 250);
  });

  it("a week with fewer active addresses than its days together", () => {
    const series = compute(
      token(7, [
        [0, "zero", "ann", 10],
        [0, "ann", "bob", 5],
        [1, "bob", "ann", 5],
        [4, "ann", "cid", 5],
      ]),
    );
    expect(points(series, "active_addresses|day|total")).toEqual({ 0: 2, 1: 2, 4: 2 });
    expect(points(series, "active_addresses|week|total")).toEqual({ 0: 3 });
    expect(points(series, "new_addresses|day|total")).toEqual({ 0: 2, 4: 1 });
    expect(points(series, "new_addresses|week|total")).toEqual({ 0: 3 });
    expect(points(series, "active_senders|day|total")).toEqual({ 0: 1, 1: 1, 4: 1 });
    expect(points(series, "active_senders|week|total")).toEqual({ 0: 2 });
    expect(points(series, "active_receivers|day|total")).toEqual({ 0: 2, 1: 1, 4: 1 });
    expect(points(series, "active_receivers|week|total")).toEqual({ 0: 3 });
  });

  it("an address that was active a week ago, and has sold all", () => {
    const series = compute(
      token(32, [
        [0, "zero", "ann", 10],
        [0, "ann", "bob", 10],
        [6, "bob", "cid", 5],
      ]),
    );
    const active = (window: number) => points(series, `active_addresses_${window}d|day|total`);
    expect(active(7)).toEqual({ 0: 2, 1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 3, 7: 2, 8: 2, 9: 2, 10: 2, 11: 2, 12: 2 });
    const month = active(30);
    expect([5, 6, 29, 30, 31].map((day) => month[day])).toEqual([2, 3, 3, 2, 2]);
    expect(points(series, "active_addresses_7d|week|total")).toEqual({ 0: 3 });
  });

  it("medians that don't follow from shorter ones", () => {
    const series = compute(
      token(7, [
        [0, "zero", "ann", 100],
        [0, "ann", "bob", 1],
        [0, "ann", "cid", 2],
        [0, "ann", "bob", 30],
        [1, "ann", "bob", 4],
        [1, "ann", "cid", 5],
      ]),
    );
    expect(points(series, "median_transfer|day|-")).toEqual({ 0: 2, 1: 4.5 });
    expect(points(series, "median_transfer|week|-")).toEqual({ 0: 4 });
  });

  it("three holders of unequal shares", () => {
    const series = compute(
      token(1, [
        [0, "zero", "ann", 60],
        [0, "zero", "bob", 30],
        [0, "zero", "cid", 10],
      ]),
    );
    expect(points(series, "supply_top_10|day|users")).toEqual({ 0: 100 });
    expect(points(series, "herfindahl|day|users")[0]).toBeCloseTo(0.46, 12);
  });
});
