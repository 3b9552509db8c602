/** Balances that would be right if the contract's events were read in another way. */

import { expect, it, onTestFinished } from "vitest";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { otherReading } from "../../../../builder/fetch/check/causes/other-reading.ts";
import type { Transfer } from "../../../../builder/fetch/check/causes/subject.ts";
import { EVENT_SHAPES } from "../../../../builder/fetch/transfers/event-shapes.ts";
import type { EventKind } from "../../../../builder/input/asset/source.ts";
import { addressWord, FakeChain, type FakeLog, word } from "../../chain/fake-chain.ts";
import { startFakeNode } from "../../chain/fake-node.ts";

const TOKEN = `0x${"70".repeat(20)}`;
const [ALICE, BOB, ZERO] = ["a1", "b2", "00"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const [TRANSFER, BURN] = EVENT_SHAPES["zeppelin-burn"].map(({ topic0 }) => topic0) as [string, string];
const MINT = EVENT_SHAPES["ds-token"][1]!.topic0;

let logIndex = 0;
const log = (block: number, topic0: string, parties: string[], value: number): FakeLog => ({
  block,
  logIndex: logIndex++,
  address: TOKEN,
  topics: [topic0, ...parties.map((party) => `0x${addressWord(party)}`)],
  data: `0x${word(value)}`,
});
const row = ({ block, logIndex, topics, data }: FakeLog): Transfer => {
  const [from, to] = topics.slice(1).map((topic) => `0x${topic.slice(26)}`) as [string, string];
  return { block, logIndex, from, to, value: BigInt(data) };
};

/** What explains that Alice and Bob have these balances, where the logs are read as of a kind. */
async function reading(events: EventKind, logs: FakeLog[], ours: FakeLog[], chain: [bigint, bigint]) {
  const token = { address: TOKEN, name: "", symbol: "", decimals: 18 };
  const node = await startFakeNode(new FakeChain({ head: 500, token, logs }));
  const nodes = await openNodes([node.url]);
  onTestFinished(() => nodes.close());
  const rows = ours.map(row);
  const range = { from: 10, to: 400 };
  const subject = { nodes, source: { contract: TOKEN, events }, range, transfers: async function* () {} };
  const balance = (address: string) =>
    rows.reduce(
      (sum, { from, to, value }) => sum + (to === address ? value : 0n) - (from === address ? value : 0n),
      0n,
    );
  const suspects = [ALICE, BOB].map((address, i) => ({
    address,
    replayed: balance(address),
    chain: chain[i]!,
    moves: rows.length,
  }));
  return otherReading(subject, suspects, rows, range);
}

const mint = log(20, TRANSFER, [ZERO, ALICE], 100);
const pay = log(30, TRANSFER, [ALICE, BOB], 40);

it("burns that fire no Transfer", async () => {
  const burn = log(40, BURN, [BOB], 7);
  expect(await reading("erc20", [mint, pay, burn], [mint, pay], [60n, 33n])).toEqual({
    kind: "reading",
    events: "zeppelin-burn",
  });
});

it("mints and burns that fire no Transfer", async () => {
  const logs = [log(20, MINT, [ALICE], 100), pay, log(40, BURN, [BOB], 7)];
  expect(await reading("erc20", logs, [pay], [60n, 33n])).toEqual({ kind: "reading", events: "ds-token" });
});

it("Burns that come beside a Transfer", async () => {
  const [burn, beside] = [log(40, TRANSFER, [BOB, ZERO], 7), log(40, BURN, [BOB], 7)];
  const read = [mint, pay, burn, { ...burn, logIndex: beside.logIndex }];
  expect(await reading("zeppelin-burn", [mint, pay, burn, beside], read, [60n, 33n])).toEqual({
    kind: "reading",
    events: "erc20",
  });
});

it("every Transfer twice", async () => {
  const logs = [mint, { ...mint, logIndex: 900 }, pay, { ...pay, logIndex: 901 }];
  expect(await reading("erc20", logs, logs, [60n, 40n])).toEqual({ kind: "twins" });
});

it("none: logs were missing, or balances change by themselves", async () => {
  expect(await reading("erc20", [mint, pay], [mint], [60n, 40n])).toBeUndefined();
  expect(await reading("erc20", [mint, pay], [mint, pay], [61n, 44n])).toBeUndefined();
});
