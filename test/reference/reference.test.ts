/** The reference on cases of one or two events, each at an edge of the methodology. */

import { describe, expect, it } from "vitest";
import {
  balanceUnit,
  decidedReference,
  ranges,
  reference,
  type Token,
  type Transfer,
  tokens,
  ZERO_ADDRESS,
} from "./reference.ts";

const DAY = 86_400;
const MIDNIGHT = Date.parse("2024-03-01T00:00:00Z") / 1000;
const ALICE = `0x${"a".repeat(40)}`;
const BOB = `0x${"b".repeat(40)}`;

/** An event, the first of its block, so many seconds after midnight; value in raw units. */
function event(block: number, seconds: number, from: string, to: string, value: bigint): Transfer {
  return { block, logIndex: 0, timestamp: MIDNIGHT + seconds, from, to, value };
}

/** A token without decimals, T = 10, complete for two days, that costs a dollar from the start. */
function token(transfers: Transfer[], terms: Partial<Token> = {}): Token {
  return {
    decimals: 0,
    maxSupply: "21000000000",
    asOf: MIDNIGHT + 2 * DAY,
    transfers,
    prices: [[MIDNIGHT, 1]],
    exchanges: {},
    contracts: [],
    ...terms,
  };
}

/** Values of a day series by day, counted from the first. */
function byDay(input: Token, key: string): Record<number, number> {
  const points = reference(input).get(key.replace("|", "|day|")) ?? [];
  return Object.fromEntries(points.map(({ t, v }) => [(t - MIDNIGHT) / DAY, v]));
}

describe("tokens", () => {
  it("rounds once, correctly", () => {
    const raw = 100_000n * 10n ** 18n;
    expect(tokens(raw, 18)).toBe(100_000);
    expect(tokens(2n ** 256n - 1n, 0)).toBe(2 ** 256);
    expect(tokens(1n, 77)).toBe(1e-77);
    expect(tokens(123_456_789n, 6)).toBe(123.456789);
  });

  it("puts a holder of exactly 100,000 dollars into $100k-1M", () => {
    const raw = 100_000n * 10n ** 18n;
    const input = token([event(1, 0, ZERO_ADDRESS, ALICE, raw)], { decimals: 18 });
    expect(byDay(input, "num_addresses|$100k-1M")).toEqual({ 0: 1, 1: 1 });
  });
});

describe("T", () => {
  it.each([
    { maxSupply: "1250000000", unit: 0.6, why: "0.595… rounds up" },
    { maxSupply: "3150000000", unit: 2, why: "1.5 rounds half up" },
    { maxSupply: "3149999999.999", unit: 1, why: "just below the half rounds down" },
    { maxSupply: "1995000000", unit: 1, why: "0.95 rounds up to the next power of ten" },
    { maxSupply: "21000000", unit: 0.01, why: "Bitcoin's supply gives a hundredth" },
    { maxSupply: "0.001", unit: 5e-13, why: "a tiny supply: 4.76e-13" },
  ])("of $maxSupply is $unit: $why", ({ maxSupply, unit }) => {
    const { numerator, denominator } = balanceUnit(maxSupply);
    expect(Number(numerator) / Number(denominator)).toBe(unit);
  });

  it("bounds balance_cohort_0 and balance_cohort_1, exactly", () => {
    const holding = (balance: bigint) => token([event(1, 0, ZERO_ADDRESS, ALICE, balance)]);
    expect(byDay(holding(9n), "num_addresses|balance_cohort_0")).toEqual({ 0: 1, 1: 1 });
    expect(byDay(holding(10n), "num_addresses|balance_cohort_1")).toEqual({ 0: 1, 1: 1 });
    expect(byDay(holding(10_000_000n), "num_addresses|balance_cohort_7")).toEqual({ 0: 1, 1: 1 });
  });
});

describe("ages", () => {
  it("round the purchase time to the nearest second, half up", () => {
    // Equal amounts, a second apart: h is half past, and counts as the later second.
    const bought = [event(1, 0, ZERO_ADDRESS, ALICE, 5n), event(2, 1, ZERO_ADDRESS, ALICE, 5n)];
    const sentAfter = (seconds: number) => token([...bought, event(3, seconds, ALICE, BOB, 1n)]);
    expect(byDay(sentAfter(DAY), "volume|<1d")).toEqual({ 1: 1 });
    expect(byDay(sentAfter(DAY), "volume|1d-1w")).toEqual({});
    expect(byDay(sentAfter(DAY + 1), "volume|1d-1w")).toEqual({ 1: 1 });
  });

  it("start afresh at a balance of zero", () => {
    const input = token([
      event(1, 0, ZERO_ADDRESS, ALICE, 5n),
      event(2, 10, ALICE, BOB, 5n),
      event(3, DAY + 1, BOB, ALICE, 5n),
    ]);
    expect(byDay(input, "supply|<1d")).toEqual({ 0: 5, 1: 5 });
    expect(byDay(input, "supply|1d-1w")).toEqual({});
  });

  it("over ten years are in no cohort, and a second less is in the oldest", () => {
    const sentAfter = (seconds: number) =>
      token([event(1, 0, ZERO_ADDRESS, ALICE, 5n), event(2, seconds, ALICE, BOB, 5n)], {
        asOf: MIDNIGHT + 3651 * DAY,
      });
    expect(byDay(sentAfter(3650 * DAY - 1), "volume|7y-10y")).toEqual({ 3649: 5 });
    const older = reference(sentAfter(3650 * DAY));
    expect(older.get("volume|day|users")).toHaveLength(1);
    expect(older.has("volume|day|7y-10y")).toBe(false);
  });
});

it("decides who is in profit, but for prices on the edge of the break-even band", () => {
  // Alice gets 1 for nothing, then more at 0.0001: the price is above hers by 1 / (1 + more).
  const profitOf = (more: bigint) => {
    const bought = [event(1, 0, ZERO_ADDRESS, ALICE, 1n), event(2, 3600, ZERO_ADDRESS, ALICE, more)];
    return decidedReference(token(bought, { prices: [[MIDNIGHT + 3600, 0.0001]] }))
      ?.get("num_addresses_profit|day|total")
      ?.map(({ v }) => v);
  };
  expect(profitOf(999_899_999n)).toEqual([1, 1]);
  expect(profitOf(999_999_998n)).toBeUndefined();
});

describe("events", () => {
  it("count nowhere when they move nothing, and start no series", () => {
    const nothing = token([
      event(1, 0, ALICE, BOB, 0n),
      event(2, 10, ALICE, ALICE.toUpperCase().replace("0X", "0x"), 7n),
      event(3, 20, ZERO_ADDRESS, ZERO_ADDRESS, 7n),
    ]);
    expect(reference(nothing)).toEqual(new Map());
    expect(ranges(nothing)).toEqual({ day: null, hour: null, week: null, month: null, block: null });
  });

  it("count once when repeated, and not at all at or after asOf", () => {
    const minted = event(1, 0, ZERO_ADDRESS, ALICE, 5n);
    const late = event(2, 2 * DAY, ALICE, BOB, 1n);
    expect(byDay(token([minted, { ...minted }, late]), "supply|total")).toEqual({ 0: 5, 1: 5 });
    expect(reference(token([minted, late])).has("volume|block|total")).toBe(false);
  });

  it("contradict each other at one place, or a balance: an error", () => {
    const minted = event(1, 0, ZERO_ADDRESS, ALICE, 5n);
    expect(() => reference(token([minted, { ...minted, value: 6n }]))).toThrow("block 1, log index 0");
    expect(() => reference(token([minted, event(2, 1, ALICE, BOB, 6n)]))).toThrow(
      `block 2, log index 0: ${ALICE} holds 5 and sends 6`,
    );
  });
});

describe("buckets", () => {
  const input = token(
    [event(1, 0, ZERO_ADDRESS, ALICE, 5n), event(2, DAY, ALICE, BOB, 1n), event(3, DAY + 5_000, ALICE, BOB, 1n)],
    { asOf: MIDNIGHT + DAY + 7_199 },
  );

  it("are published when they are complete, blocks at once", () => {
    const series = reference(input);
    expect(series.get("volume|day|total")).toBeUndefined();
    expect(series.get("volume|hour|total")).toEqual([{ t: MIDNIGHT + DAY, v: 1 }]);
    expect(series.get("volume|block|total")).toEqual([
      { t: MIDNIGHT + DAY, v: 1, block: 2 },
      { t: MIDNIGHT + DAY + 5_000, v: 1, block: 3 },
    ]);
    expect(ranges(input)).toEqual({
      day: { first: MIDNIGHT, last: MIDNIGHT },
      hour: { first: MIDNIGHT, last: MIDNIGHT + DAY },
      week: null,
      month: null,
      block: { first: { block: 1, t: MIDNIGHT }, last: { block: 3, t: MIDNIGHT + DAY + 5_000 } },
    });
  });

  it("close at the last price strictly before their end", () => {
    const repriced = token([event(1, 0, ZERO_ADDRESS, ALICE, 5n)], {
      prices: [
        [MIDNIGHT, 1],
        [MIDNIGHT + DAY - 1, 2],
        [MIDNIGHT + DAY, 3],
      ],
    });
    expect(byDay(repriced, "market_cap|total")).toEqual({ 0: 10, 1: 15 });
  });

  it("hold a ratio whose numerator is 0, and none whose denominator is", () => {
    const worthless = token([event(1, 0, ZERO_ADDRESS, ALICE, 5n), event(2, 60, ALICE, BOB, 5n)], {
      prices: [[MIDNIGHT + 60, 0]],
    });
    expect(byDay(worthless, "sopr|total")).toEqual({});
    expect(byDay(worthless, "moved_coins_realised_price|total")).toEqual({ 0: 0 });
    expect(byDay(worthless, "realised_price|total")).toEqual({ 0: 0, 1: 0 });
    const collapsed = { ...worthless, prices: [[MIDNIGHT, 1] as [number, number], ...worthless.prices] };
    expect(byDay(collapsed, "sopr_loss|total")).toEqual({ 0: 0 });
  });
});

describe("break-even", () => {
  it.each([
    { price: 1, in: "neither" },
    { price: 1 + 0.9e-9, in: "neither" },
    { price: 1 - 0.9e-9, in: "neither" },
    { price: 1 + 1.1e-9, in: "profit" },
    { price: 1 - 1.1e-9, in: "loss" },
  ])("at a price of $price against 1: in $in", ({ price, in: expected }) => {
    const input = token([event(1, 0, ZERO_ADDRESS, ALICE, 5n), event(2, 60, ALICE, BOB, 5n)], {
      prices: [
        [MIDNIGHT, 1],
        [MIDNIGHT + 60, price],
      ],
    });
    expect(byDay(input, "realised_profit_asset|total")).toEqual(expected === "profit" ? { 0: 5 } : {});
    expect(byDay(input, "realised_loss_asset|total")).toEqual(expected === "loss" ? { 0: 5 } : {});
  });
});
