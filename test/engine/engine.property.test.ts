/** The fast engine against the reference, on random histories of edge values. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../builder/lib/failure.ts";
import { AGE_EDGES_SECONDS } from "../../data-schema/registry/cohorts.ts";
import { timeLimit, tries } from "../effort.ts";
import { compareSeries } from "../reference/compare.ts";
import { histories } from "../reference/histories.ts";
import { reference, type Token, type Transfer, ZERO_ADDRESS } from "../reference/reference.ts";
import { asTheReference, fingerprint } from "./as-the-reference.ts";
import { INVARIANTS } from "./invariants.ts";
import { runEngine } from "./run-engine.ts";

const DAY = 86_400;

/** Addresses that no random history knows. */
const STRANGER = `0x${"e".repeat(40)}`;
const OTHER_STRANGER = `0x${"f".repeat(40)}`;

/** Generous: the machine may be shared, and a long history takes the reference a second. */
const TIMEOUT_MS = timeLimit(180_000);

describe("the engine", () => {
  it(
    "computes what the reference does, up to any cut, and keeps every invariant",
    // The other half is tried by engine.slow.test.ts.
    () => fc.assert(asTheReference, { numRuns: tries(14) }),
    TIMEOUT_MS,
  );

  it(
    "computes the same, bit for bit, whatever the number of partitions",
    () => {
      fc.assert(
        fc.property(histories(20), fc.constantFrom(2, 4, 8), (token, partitions) => {
          expect(fingerprint(runEngine(token, partitions).series)).toBe(fingerprint(runEngine(token).series));
        }),
        { numRuns: tries(8) },
      );
    },
    TIMEOUT_MS,
  );

  it("accepts a purchase price that rounding leaves below zero, whatever the number of partitions", () => {
    let below = 0;
    for (let k = 1; k <= 40; k++) {
      const token = nextToNothing(0.1 + k * 0.0137, BigInt(k) * 731_000_000_000_000_123n);
      const { series } = runEngine(token);
      expect(fingerprint(runEngine(token, 2).series)).toBe(fingerprint(series));
      const expected = reference(token);
      for (const key of ["supply|day|total", "num_addresses|day|total", "supply|day|users"]) {
        expect(series.get(key)).toEqual(expected.get(key));
      }
      // At the first day's close there is this holder alone; a sum that is 0 has no point.
      const cap = series.get("realised_cap|day|total")?.find(({ t }) => t < 1_600_000_000)?.v ?? 0;
      if (cap < 0) below++;
      expect(Math.abs(cap)).toBeLessThan(1e-13);
    }
    expect(below).toBeGreaterThan(0);
  });

  it("rounds a purchase time on the half second up, at every edge of the ages", () => {
    const ages = AGE_EDGES_SECONDS.slice(1).flatMap((edge) => [edge - 1, edge, edge + 1]);
    const token = boughtOnTheHalfSecond(ages);
    expect(compareSeries(runEngine(token).series, reference(token))).toEqual([]);
  });

  it.each([2.5, 0])(
    "keeps every invariant where a burn is lost in the rounding of the day's volume, at a price of %f",
    (price) => {
      const token = burnBesideAVolume(2n ** 53n, 1n, price);
      const { series } = runEngine(token);
      for (const metric of ["volume", "outflow_cohort"]) {
        expect(series.get(`${metric}|day|$0-100`)?.map(({ v }) => v)).toEqual([2 ** 53]);
      }
      expect(series.get("realised_cap|day|users")?.[0]?.v).toBe(5);
      for (const { name, violations } of INVARIANTS) expect(violations(series, token), name).toEqual([]);
    },
  );

  it.each([
    [0.9, 0],
    [70, 1e-7],
  ])("keeps every invariant of series where averages lose digits, after a fall from %f to %f", (first, then) => {
    const token = boughtAfterTheFall(first, then);
    const { series } = runEngine(token);
    // What was paid, and what rounding makes of it: more than the relative difference that two right values may have.
    const paid = 3 * first + 1e9 * then;
    const cap = series.get("realised_cap|day|users")?.at(-1)?.v ?? 0;
    expect(Math.abs(cap - paid) / paid).toBeGreaterThan(2e-9);
    for (const { name, violations } of INVARIANTS.filter(({ name }) => name.endsWith("of published series"))) {
      expect(violations(series, token), name).toEqual([]);
    }
  });

  it(
    "stops at a transfer or burn of more than the sender has, and names it",
    () => {
      fc.assert(
        fc.property(histories(12), fc.boolean(), fc.bigInt(1n, 2n ** 64n), (token, isBurn, excess) => {
          const { overdrawn, event, balance } = overdraw(token, isBurn, excess);
          const failure = thrownBy(() => runEngine(overdrawn));
          expect(failure).toBeInstanceOf(Failure);
          for (const fact of [event.block, event.logIndex, event.from.toLowerCase(), balance, event.value]) {
            expect(failure.message).toContain(String(fact));
          }
        }),
        { numRuns: tries(50) },
      );
    },
    timeLimit(60_000),
  );

  it(
    "leaves out an overdraft at or after asOf",
    () => {
      fc.assert(
        fc.property(histories(12), (token) => {
          const { overdrawn, event } = overdraw(token, false, 1n);
          expect(() => runEngine({ ...overdrawn, asOf: event.timestamp })).not.toThrow();
        }),
        { numRuns: tries(20) },
      );
    },
    timeLimit(60_000),
  );
});

/**
 * For each age, a holder of its own: two equal purchases a second apart, and a transfer so many seconds after the second
 * one. Each moves another amount, so that no two of them make up for each other.
 */
function boughtOnTheHalfSecond(agesSeconds: readonly number[]): Token {
  const noon = Date.parse("2016-02-29T12:00:00Z") / 1000;
  const transfers = agesSeconds.flatMap((age, i): Omit<Transfer, "block">[] => {
    const holder = `0x${(0xe000 + i).toString(16).padStart(40, "0")}`;
    const event = (timestamp: number, from: string, to: string) => ({
      logIndex: i,
      timestamp,
      from,
      to,
      value: 2n ** BigInt(i),
    });
    return [
      event(noon, ZERO_ADDRESS, holder),
      event(noon + 1, ZERO_ADDRESS, holder),
      event(noon + 1 + age, holder, OTHER_STRANGER),
    ];
  });
  const times = [...new Set(transfers.map(({ timestamp }) => timestamp))].sort((a, b) => a - b);
  const inOrder = transfers.toSorted((a, b) => a.timestamp - b.timestamp || a.logIndex - b.logIndex);
  return {
    decimals: 0,
    maxSupply: "21000000000",
    asOf: times.at(-1)! + 1,
    transfers: inOrder.map((event) => ({ ...event, block: 1 + times.indexOf(event.timestamp) })),
    prices: [[noon, 1]],
    exchanges: {},
    contracts: [],
  };
}

/** The token with one more event, after all others and before `asOf`, that exceeds its sender's balance. */
function overdraw(
  token: Token,
  isBurn: boolean,
  excess: bigint,
): { overdrawn: Token; event: Transfer; balance: bigint } {
  const last = token.transfers.at(-1)!;
  const sender = token.transfers.findLast(({ to }) => to !== ZERO_ADDRESS)?.to ?? STRANGER;
  const balance = token.transfers.reduce(
    (sum, { from, to, value }) => sum + (to === sender ? value : 0n) - (from === sender ? value : 0n),
    0n,
  );
  const event: Transfer = {
    block: last.block + 7,
    logIndex: 31,
    timestamp: last.timestamp + 1,
    from: sender,
    to: isBurn ? ZERO_ADDRESS : OTHER_STRANGER,
    value: balance + excess,
  };
  const asOf = Math.max(token.asOf, event.timestamp + 1);
  return { overdrawn: { ...token, asOf, transfers: [...token.transfers, event] }, event, balance };
}

function thrownBy(action: () => void): Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}

/** Three tokens at a price, and a billion by the same holder at another one, a day later. */
function boughtAfterTheFall(first: number, then: number): Token {
  const start = Date.UTC(2022, 0, 1) / 1000;
  const mint = (day: number, whole: bigint): Transfer => ({
    block: 1 + day,
    logIndex: 0,
    timestamp: start + day * DAY + 60,
    from: ZERO_ADDRESS,
    to: STRANGER,
    value: whole * 10n ** 18n,
  });
  return {
    decimals: 18,
    maxSupply: "21000000",
    asOf: start + 3 * DAY,
    transfers: [mint(0, 3n), mint(1, 1_000_000_000n)],
    prices: [
      [start, first],
      [start + DAY, then],
    ],
    exchanges: {},
    contracts: [],
  };
}

/** Many raw units move before there is a price; later on the day a few are bought, and one third of them is burned. */
function burnBesideAVolume(moved: bigint, burned: bigint, lastPrice: number): Token {
  const start = Date.UTC(2022, 4, 3) / 1000;
  const at = (hour: number, from: string, to: string, value: bigint): Transfer => ({
    block: 100 + hour,
    logIndex: 0,
    timestamp: start + hour * 3_600,
    from,
    to,
    value,
  });
  return {
    decimals: 0,
    maxSupply: "21000000",
    asOf: start + 2 * DAY,
    transfers: [
      at(1, ZERO_ADDRESS, STRANGER, moved),
      at(2, STRANGER, OTHER_STRANGER, moved),
      at(4, ZERO_ADDRESS, STRANGER, 3n * burned),
      at(5, STRANGER, ZERO_ADDRESS, burned),
    ],
    prices: [
      [start + 3 * 3_600, 2.5],
      [start + 5 * 3_600, lastPrice],
    ],
    exchanges: {},
    contracts: [],
  };
}

/** One raw unit bought at a price, then so many at the price 0: the average is 0, or a rounding beside it. */
function nextToNothing(usd: number, raw: bigint): Token {
  const start = 1_600_000_000;
  const mint = (block: number, timestamp: number, to: string, value: bigint): Transfer => ({
    block,
    logIndex: 0,
    timestamp,
    from: ZERO_ADDRESS,
    to,
    value,
  });
  return {
    decimals: 18,
    maxSupply: "21000000",
    asOf: start + 5 * DAY,
    transfers: [
      mint(1, start, STRANGER, 1n),
      mint(2, start + 3_600, STRANGER, raw),
      mint(3, start + 2 * DAY, OTHER_STRANGER, 10n ** 18n),
    ],
    prices: [
      [start, usd],
      [start + 3_600, 0],
      [start + 2 * DAY, 2],
    ],
    exchanges: {},
    contracts: [],
  };
}
