/** How much of a token labelled addresses cover, by hand. random-changes.slow.test.ts compares it with the reference. */

import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { COVERAGE_DAYS } from "../../../builder/engine/calendar/coverage.ts";
import type { InputRole } from "../../../builder/input/digest-input.ts";
import { labelCoverage as labelsOfBuild } from "../../../builder/published/publish/label-coverage.ts";
import type { PublishedLabels } from "../../../data-schema/stored.ts";
import { activeManifest, runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { iso, pricesOf } from "../../build/checkpoint/random-nights.ts";
import { type Token, type Transfer, ZERO_ADDRESS } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";

const DAY = 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;
const TOKENS = 10n ** 18n;
const [BINANCE, KRAKEN, POOL, ALICE, BOB, NEVER] = ["b1", "b2", "c0", "a1", "a2", "ee"].map(
  (byte) => `0x${byte.repeat(20)}`,
) as [string, string, string, string, string, string];

const transfer = (day: number, from: string, to: string, tokens: bigint): Transfer => ({
  block: 1_000 + 10 * day,
  logIndex: 0,
  timestamp: START + day * DAY,
  from,
  to,
  value: tokens * TOKENS,
});

async function labelsOf(token: Token, keys: Record<string, undefined> = {}): Promise<PublishedLabels | undefined> {
  const folder = new TokenFolder(token, "TOK");
  try {
    folder.csv("transfers-1.csv", token.transfers);
    const prices = pricesOf(token);
    if (prices.length > 0) folder.prices(prices);
    const store = new MemoryStore();
    await runBuild(
      store,
      folder.asset({ asOf: iso(token.asOf), ...(prices.length === 0 && { prices: undefined }), ...keys }),
    );
    return (await activeManifest(store, "TOK")).labels;
  } finally {
    folder.close();
  }
}

/** Two exchange addresses and a contract: of another exchange address nobody has heard. */
const token: Token = {
  decimals: 18,
  maxSupply: "1000",
  prices: [[START, 1]] as [number, number][],
  asOf: START + 10 * DAY + 3_600,
  exchanges: { [BINANCE]: "binance", [KRAKEN]: "kraken", [NEVER]: "okx" },
  contracts: [POOL],
  transfers: [
    transfer(0, ZERO_ADDRESS, ALICE, 800n),
    transfer(1, ALICE, BINANCE, 100n),
    transfer(2, BINANCE, KRAKEN, 60n),
    transfer(3, KRAKEN, BOB, 60n),
    transfer(4, ALICE, POOL, 200n),
    transfer(5, POOL, BINANCE, 20n),
    transfer(6, ALICE, BOB, 160n),
    // After the last close: it counts the day after.
    transfer(10, ALICE, KRAKEN, 100n),
  ],
};

it("by hand: Binance has 60 of 800 tokens, Kraken has had 60, the pool has 180", async () => {
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(await labelsOf(token)).toEqual({
    // 600 tokens moved: 100 to Binance, 60 from Kraken, 20 from the pool to Binance; 60 between the two do not count.
    exchanges: { sha256, addresses: 3, held: 2, holders: 1, supplyShare: 0.075, volumeShare: 0.3 },
    // 200 to the pool, 20 from it.
    contracts: { sha256, addresses: 1, held: 1, holders: 1, supplyShare: 0.225, volumeShare: 0.366667 },
  });
});

it("counts the volume of the last 365 days, and no day more", async () => {
  const later = (days: number) => ({ ...token, asOf: START + days * DAY, contracts: [], prices: [] });
  const volumeAfter = async (days: number) => (await labelsOf(later(days)))?.exchanges?.volumeShare;
  // Day 1 is the first of 365 when day 365 is the last: from day 2 on, 60 and 20 of 500, and 100 of day 10, which are 180 of 600.
  expect(await volumeAfter(1 + COVERAGE_DAYS)).toBeCloseTo(280 / 700, 6);
  expect(await volumeAfter(2 + COVERAGE_DAYS)).toBeCloseTo(180 / 600, 6);
  expect(await volumeAfter(11 + COVERAGE_DAYS)).toBeUndefined();
});

it("says nothing of labels that are not there, and counts them alone while no day is complete", async () => {
  const young = { ...token, asOf: START + 3_600 };
  expect(await labelsOf(young, { exchanges: undefined, contracts: undefined })).toBeUndefined();
  const sha256 = expect.any(String);
  expect(await labelsOf(young, { contracts: undefined })).toEqual({ exchanges: { sha256, addresses: 3 } });
});

it("names shipped labels by their version, and the user's own by their digest", () => {
  const of = (...roles: InputRole[]) => {
    const files = roles.map((role) => ({ role, file: `${role}.csv`, sha256: "ab", bytes: 1, rows: 1 }));
    const counts = { rowsRead: 0, duplicates: 0, skippedOtherContracts: 0, skippedAfterAsOf: 0, addresses: 0 };
    const report = { files, ...counts, notices: [] };
    return labelsOfBuild({ labelsVersion: "ethereum-2026-11" }, { report }, { exchanges: 1, contracts: 0 }, undefined)
      ?.exchanges;
  };
  expect(of("labels")).toEqual({ version: "ethereum-2026-11", addresses: 1 });
  const sha256 = createHash("sha256").update("ab  exchanges.csv\n").digest("hex");
  expect(of("exchanges", "labels")).toEqual({ version: "ethereum-2026-11", sha256, addresses: 1 });
  expect(of("exchanges")).toEqual({ sha256, addresses: 1 });
  expect(of("contracts")).toBeUndefined();
});
