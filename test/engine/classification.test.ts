import { describe, expect, it } from "vitest";
import {
  AGE_COHORT_COUNT,
  ageCohortOf,
  BALANCE_COHORT_COUNT,
  balanceCohortOf,
  EVEN,
  LOSS,
  PROFIT,
  sideOf,
  VALUE_RANGE_COUNT,
  valueRangeOf,
} from "../../builder/engine/classification.ts";
import { AGE_COHORTS, BALANCE_COHORTS, VALUE_RANGES } from "../../data-schema/registry/cohorts.ts";
import { replayPartition } from "../in-memory/replay.ts";
import { prepareTimeline } from "../in-memory/timeline.ts";
import type { Token } from "../reference/reference.ts";
import { ZERO_ADDRESS } from "../reference/reference.ts";
import { toEngineInput } from "./engine-input.ts";

const DAY = 86_400;
const HOLDER = `0x${"1".repeat(40)}`;
const OTHER = `0x${"2".repeat(40)}`;
const BOUGHT = 1_000_000_000;

interface Holding {
  /** Raw units, of 18 decimals, received at a time (Unix seconds after BOUGHT) and price; one whole token by default. */
  received?: [seconds: number, usd: number, raw?: bigint][];
  /** When it sends, in seconds after BOUGHT, and at what price. */
  at?: number;
  usd?: number;
  maxSupply?: string;
}

/** The classification of a holder just before it sends a raw unit. */
function classify({ received = [[0, 1]], at = 1, usd = 1, maxSupply = "21000000" }: Holding): number {
  const event = (seconds: number, from: string, to: string, value: bigint, block: number) => ({
    block,
    logIndex: 0,
    timestamp: BOUGHT + seconds,
    from,
    to,
    value,
  });
  const mints = received.map(([seconds, , raw], i) => event(seconds, ZERO_ADDRESS, HOLDER, raw ?? 10n ** 18n, i + 1));
  const prices = new Map<number, number>([
    ...received.map(([s, p]): [number, number] => [BOUGHT + s, p]),
    [BOUGHT + at, usd],
  ]);
  const token: Token = {
    decimals: 18,
    maxSupply,
    asOf: BOUGHT + at + 1,
    transfers: [...mints, event(at, HOLDER, OTHER, 1n, mints.length + 1)],
    prices: [...prices],
    exchanges: {},
    contracts: [],
  };
  const { history, prices: steps, groups, parameters } = toEngineInput(token);
  const timeline = prepareTimeline(history, steps, groups, parameters);
  replayPartition(timeline, 0, 1);
  return timeline.sender[mints.length]!;
}

it("has as many classes as there are cohorts", () => {
  expect([VALUE_RANGE_COUNT, BALANCE_COHORT_COUNT, AGE_COHORT_COUNT]).toEqual([
    VALUE_RANGES.length,
    BALANCE_COHORTS.length,
    AGE_COHORTS.length,
  ]);
});

describe("break-even band", () => {
  it.each([
    [1, 1, EVEN],
    [1 + 0.9e-9, 1, EVEN],
    [1 + 1.1e-9, 1, PROFIT],
    [1, 1 + 0.9e-9, EVEN],
    [1, 1 + 1.1e-9, LOSS],
    [0, 0, EVEN],
    [1e-300, 0, PROFIT],
    [0, 1e-300, LOSS],
  ])("a price of %d is on side %#: against %d", (usd, basis, side) => {
    expect(sideOf(classify({ received: [[0, basis]], usd }))).toBe(side);
  });
});

describe("value ranges", () => {
  it.each([
    [0, 0],
    [99.999, 0],
    [100, 1],
    [999.99, 1],
    [1_000, 2],
    [10_000, 3],
    [100_000, 4],
    [1_000_000, 5],
    [9_999_999.99, 5],
    [10_000_000, 6],
    [1e300, 6],
  ])("of $%d is number %d", (usd, range) => {
    expect(valueRangeOf(classify({ usd }))).toBe(range);
  });
});

describe("holding ages", () => {
  it.each([
    [1, 0],
    [DAY - 1, 0],
    [DAY, 1],
    [7 * DAY - 1, 1],
    [7 * DAY, 2],
    [30 * DAY, 3],
    [90 * DAY, 4],
    [180 * DAY, 5],
    [365 * DAY, 6],
    [730 * DAY, 7],
    [1095 * DAY, 8],
    [1825 * DAY, 9],
    [2555 * DAY, 10],
    [3650 * DAY - 1, 10],
  ])("of %d seconds is number %d", (age, cohort) => {
    expect(ageCohortOf(classify({ at: age }))).toBe(cohort);
  });

  it("of ten years and more is in no cohort", () => {
    expect(ageCohortOf(classify({ at: 3650 * DAY }))).toBe(AGE_COHORT_COUNT);
    expect(ageCohortOf(classify({ at: 30_000 * DAY }))).toBe(AGE_COHORT_COUNT);
  });

  it("round the purchase time to the nearest second, half up", () => {
    const share = (later: bigint): [number, number, bigint][] => [
      [10, 1, (1000n - later) * 10n ** 15n],
      [11, 1, later * 10n ** 15n],
    ];
    expect(ageCohortOf(classify({ received: share(490n), at: DAY + 10 }))).toBe(1);
    expect(ageCohortOf(classify({ received: share(500n), at: DAY + 10 }))).toBe(0);
  });
});

describe("balance cohorts", () => {
  it("begin exactly at their edges", () => {
    // T = 1,250,000,000 · 0.01 / 21,000,000, rounded to one digit: 0.6 tokens.
    const edge = (n: bigint) => 6n * 10n ** (17n + n);
    for (let n = 0n; n < 7n; n++) {
      const cohortOf = (raw: bigint) => balanceCohortOf(classify({ received: [[0, 1, raw]], maxSupply: "1250000000" }));
      expect(cohortOf(edge(n) - 1n)).toBe(Number(n));
      expect(cohortOf(edge(n))).toBe(Number(n) + 1);
    }
  });

  it("leave out edges that no balance of so many bits reaches", () => {
    expect(balanceCohortOf(classify({ received: [[0, 1, 2n ** 32n - 1n]], maxSupply: `2${"0".repeat(50)}` }))).toBe(0);
  });
});
