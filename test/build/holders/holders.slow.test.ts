/** What is published of each holder, and of the largest transfers, is what the methodology says, whatever the nights and partitions. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { holderProblems } from "../../../builder/published/verify/holders/holder-problems.ts";
import { verify } from "../../../builder/published/verify/verify.ts";
import type { PublishedHolders } from "../../../data-schema/stored/holders/holder-objects.ts";
import type { TransferValues } from "../../../data-schema/stored/large-transfers.ts";
import { timeLimit, tries } from "../../effort.ts";
import { histories } from "../../reference/histories.ts";
import { referenceHolders, referenceLargest } from "../../reference/holders.ts";
import { referenceTransfers } from "../../reference/largest-transfers.ts";
import { stepFunction, type Token, tokens, ZERO_ADDRESS } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpack } from "../../store/unpacked.ts";
import { activeManifest, runBuild, TokenFolder } from "../checkpoint/nights.ts";
import { FORMS, isBuildable, iso, nights, pricesOf, publishNights } from "../checkpoint/random-nights.ts";
import { DAY, START } from "../checkpoint/two-nights.ts";
import { publishedTransfers } from "../stages/published-transfers.ts";
import { publishedHolders, publishedLargest } from "./published-holders.ts";

/** Whether two numbers are the same but for rounding. @param larger the sum of the larger operands of their addends */
const isClose = (a: number, b: number, larger = 0) =>
  Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)) + 1e-11 * larger;

async function expectAsTheReference(store: MemoryStore, token: Token): Promise<void> {
  const manifest = await activeManifest(store, "TOK");
  const { holders } = manifest;
  if (!holders) return;
  const found = await publishedHolders(store, manifest);
  const expected = referenceHolders(token, holders.time);
  const price = stepFunction(token.prices).before(holders.time);
  const supply = expected.reduce((sum, { q }) => sum + q, 0n);
  expect(holders).toMatchObject({ price, supply: String(supply), addresses: expected.length });
  expect(found.map(({ address }) => address)).toEqual(expected.map(({ address }) => address));
  for (const [i, one] of expected.entries()) {
    const is = found[i]!;
    const n = tokens(one.q, token.decimals);
    const holds = one.q > 0n;
    expect(is).toMatchObject({
      raw: String(one.q),
      balance: n,
      receipts: one.receipts,
      sends: one.sends,
      first_seen: one.firstSeen,
      last_active: one.lastActive,
    });
    const close: [number, number, number?][] = [
      [is.average_price ?? 0, holds ? one.a : 0],
      [is.cost, holds ? n * one.a : 0],
      [is.value, n * price],
      [is.unrealised_profit, holds ? n * (price - one.a) : 0, n * Math.max(price, one.a)],
      [is.realised_profit, one.realised, one.larger],
      [is.received, one.received],
      [is.sent, one.sent],
      [is.share ?? 0, supply === 0n ? 0 : n / tokens(supply, token.decimals)],
    ];
    for (const [value, says, larger] of close) expect(isClose(value, says, larger), `${value} for ${says}`).toBe(true);
    expect([is.average_price === null, is.held_since === null]).toEqual([!holds, !holds]);
    if (holds) expect(Math.abs(is.held_since! - one.h)).toBeLessThanOrEqual(0.5 + 1e-6);
  }
  const { days, supplies } = await publishedLargest(store, manifest);
  const { first, last } = manifest.resolutions.day;
  for (let day = first! / DAY; day <= last! / DAY; day++) {
    const largest = referenceLargest(token, day);
    expect(days.get(day) ?? []).toEqual(largest);
    if (largest.length > 0) {
      const held = referenceHolders(token, (day + 1) * DAY).reduce((sum, { q }) => sum + q, 0n);
      expect(supplies.get(day)).toBe(held);
    }
  }
  const transfers = await publishedTransfers(store, manifest);
  const expectedTransfers = Array.from({ length: (last! - first!) / DAY + 1 }, (_, at) =>
    referenceTransfers(token, first! / DAY + at),
  ).flat();
  const shown = ({ block, log_index, from, to, raw, tokens, dollars }: TransferValues) => {
    return { block, logIndex: log_index, from, to, value: BigInt(raw), tokens, dollars };
  };
  expect(transfers.map(shown)).toEqual(
    expectedTransfers.map(({ timestamp: _, from, to, ...transfer }) => {
      return { ...transfer, from: from.toLowerCase(), to: to.toLowerCase() };
    }),
  );
}

it(
  "of random tokens, by nights and at once",
  async () => {
    const plan = histories(30)
      .filter(isBuildable)
      .chain((token) => fc.tuple(fc.constant(token), nights(token), fc.constantFrom(...FORMS)));
    await fc.assert(
      fc.asyncProperty(plan, async ([token, times, form]) => {
        const priced = { ...token, prices: pricesOf(token) };
        const { nightly, whole } = await publishNights(token, times, form);
        await expectAsTheReference(nightly, priced);
        await expectAsTheReference(whole, priced);
        const transfers = async (store: MemoryStore) => (await activeManifest(store, "TOK")).transfers;
        expect(await transfers(nightly)).toEqual(await transfers(whole));
      }),
      { numRuns: tries(2) },
    );
  },
  timeLimit(600_000),
);

const [ZOE, YVES, XENIA] = ["99", "88", "77"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];

/** The example of the methodology: one that buys twice, sells at a loss, empties and comes back; and who ties with whom. */
function example(): Token {
  const rows: [day: number, from: string, to: string, value: bigint][] = [
    [0, ZERO_ADDRESS, ZOE, 100n],
    [1, ZERO_ADDRESS, ZOE, 300n],
    [2, ZOE, YVES, 200n],
    [3, ZOE, ZERO_ADDRESS, 200n],
    [4, YVES, ZOE, 100n],
    [4, ZERO_ADDRESS, XENIA, 100n],
  ];
  return {
    decimals: 0,
    maxSupply: "1000",
    asOf: START + 6 * DAY,
    transfers: rows.map(([day, from, to, value], logIndex) => {
      return { block: 10 + day, logIndex, timestamp: START + day * DAY + 3_600, from, to, value };
    }),
    prices: [2, 4, 3, 5, 1, 1.5].map((usd, day) => [START + day * DAY, usd]),
    exchanges: { [YVES]: "binance" },
    contracts: [XENIA],
  };
}

it("one that buys twice, sells at a loss, empties and comes back keeps what it has realised", async () => {
  const token = example();
  const folder = new TokenFolder(token, "TOK");
  const store = new MemoryStore();
  try {
    folder.csv("transfers-1.csv", token.transfers.slice(0, 4));
    folder.prices(token.prices);
    folder.write("list-team.csv", `address\n${ZOE}\n`);
    folder.write("list-others.csv", `address\n${ZOE}\n${YVES}\n`);
    const cohorts = { team: "list-team.csv", others: "list-others.csv" };
    await runBuild(store, folder.asset({ asOf: iso(START + 4 * DAY), cohorts }));
    folder.csv("transfers-2.csv", token.transfers.slice(4));
    await runBuild(store, folder.asset({ asOf: iso(token.asOf), cohorts }));
    const holders = await publishedHolders(store, await activeManifest(store, "TOK"));
    // It pays (100 · 2 + 300 · 4) / 400 = 3.5 for each. Sold at 3: 200 · (3 − 3.5); burnt at 5: 200 · (5 − 3.5).
    expect(holders.find(({ address }) => address === ZOE)).toEqual({
      address: ZOE,
      balance: 100,
      raw: "100",
      share: 1 / 3,
      average_price: 1,
      cost: 100,
      value: 150,
      unrealised_profit: 50,
      realised_profit: -100 + 300,
      received: 500,
      sent: 400,
      receipts: 3,
      sends: 2,
      first_seen: START + 3_600,
      last_active: START + 4 * DAY + 3_600,
      held_since: START + 4 * DAY + 3_600,
      group: "users",
      label: null,
      cohorts: ["@others", "@team"],
    });
    const known = (end: number, held: Record<string, bigint>) => ({
      end,
      holders: Object.keys(held).length,
      of: (addresses: Uint8Array) =>
        Array.from(
          { length: addresses.length / 20 },
          (_, row) => held[`0x${Buffer.from(addresses.subarray(20 * row, 20 * (row + 1))).toString("hex")}`] ?? 0n,
        ),
    });
    const compared = async (end: number, held: Record<string, bigint>) =>
      (await verify(store, "TOK", silentProgress(), known(end, held))).problems;
    const right = { [ZOE]: 100n, [YVES]: 100n, [XENIA]: 100n };
    expect(await compared(token.asOf, right)).toEqual([]);
    expect(await compared(token.asOf, { ...right, [ZOE]: 101n })).toEqual([
      expect.stringMatching(`: ${ZOE} holds 100, but 101 by the fetched balances.$`),
    ]);
    expect(await compared(token.asOf, { [ZOE]: 100n, [YVES]: 100n })).toEqual([
      "There are 3 holders, but 2 by the fetched balances.",
      expect.stringMatching(`: ${XENIA} holds 100, but 0 by the fetched balances.$`),
    ]);
    expect(await compared(token.asOf - DAY, right)).toHaveLength(1);
    const labels = holders.map(({ address, group, label, cohorts }) => [address, group, label, cohorts]);
    expect(labels).toEqual([
      [XENIA, "sc", null, []],
      [YVES, "cex", "binance", ["@others"]],
      [ZOE, "users", null, ["@others", "@team"]],
    ]);
    // All three hold 100: equal balances by address.
    const { days } = await publishedLargest(store, await activeManifest(store, "TOK"));
    expect([...days.values()].map((day) => day.map(({ address, q }) => [address, q]))).toEqual([
      [[ZOE, 100n]],
      [[ZOE, 400n]],
      [
        [YVES, 200n],
        [ZOE, 200n],
      ],
      [[YVES, 200n]],
      ...[4, 5].map(() => [XENIA, YVES, ZOE].map((address) => [address, 100n])),
    ]);
    // Verify finds nothing wrong, but for what a manifest says wrongly, or has lost.
    await unpack(store);
    const manifest = await activeManifest(store, "TOK");
    const problems = async (changed: Partial<PublishedHolders>) =>
      (await holderProblems(store, { ...manifest, holders: { ...manifest.holders!, ...changed } }, new Map())).problems;
    expect(await problems({})).toEqual([]);
    expect(await problems({ supply: "301" })).toEqual([
      "The manifest's holders.supply is 301, but that of the rows is 300.",
    ]);
    expect(await problems({ holders: 2 })).toHaveLength(1);
    expect(await problems({ largest: manifest.holders!.largest.slice(0, 1) })).toEqual([
      "The largest holders of the last day are not those of the table.",
    ]);
    expect(await problems({ index: { ...manifest.holders!.index, hash: "0".repeat(32) } })).toEqual([
      expect.stringMatching(/ is damaged: it has another index\.$/),
    ]);
    // A list that changes, and nothing else.
    folder.write("list-team.csv", `address\n${XENIA}\n`);
    const { start } = await runBuild(store, folder.asset({ asOf: iso(token.asOf), cohorts }));
    expect("beside" in start).toBe(true);
    const renamed = await publishedHolders(store, await activeManifest(store, "TOK"));
    expect(renamed.map(({ cohorts }) => cohorts)).toEqual([["@team"], ["@others"], ["@others"]]);
    expect(renamed.map(({ cohorts: _, ...others }) => others)).toEqual(
      holders.map(({ cohorts: _, ...others }) => others),
    );
  } finally {
    folder.close();
  }
});
