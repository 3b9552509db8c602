/** Prices are proven by another node where one has wrong states. */

import { expect, it, onTestFinished } from "vitest";
import { readBlock } from "../../../builder/fetch/chain/blocks.ts";
import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { callViews } from "../../../builder/fetch/prices/pools/calls.ts";
import { readPoolPrices } from "../../../builder/fetch/prices/read-pools.ts";
import { LogTimes } from "../../../builder/fetch/times/log-times.ts";
import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import { scratchFolder } from "../../folders.ts";
import { fakeEconomy, word } from "../chain/fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "../chain/fake-node.ts";
import { EAGER } from "../chain/patience.ts";
import { answer, START, sync, WETH } from "./histories.ts";
import { chainOf, GENESIS, INTERVAL } from "./pool-chain.ts";

const [aggregator] = WETH.quote.kind === "feed" ? WETH.quote.aggregators : [];
const EVENTS = [answer(aggregator!, START - 40, 2_000), sync(WETH.address, START + 20, 10n ** 24n, 10n ** 24n)];
const END = START + HOUR_SECONDS;

async function open(options: readonly FakeNodeOptions[], chain = chainOf(EVENTS, END)) {
  const started = await Promise.all(options.map((one) => startFakeNode(chain, one)));
  const notices: string[] = [];
  const nodes = await openNodes(
    started.map(({ url }) => url),
    { patience: EAGER, onNotice: (text) => notices.push(text) },
  );
  onTestFinished(() => nodes.close());
  return { nodes, notices };
}

async function read(...options: FakeNodeOptions[]) {
  const { nodes, notices } = await open(options);
  const last = await readBlock(nodes, (END - GENESIS) / INTERVAL - 1);
  const assetBlock = (START - GENESIS) / INTERVAL;
  const work = { nodes, logs: nodeLogs(nodes), pools: [WETH], folder: scratchFolder(), start: START, end: END, last };
  const { hours } = await readPoolPrices({ ...work, assetBlock, times: new LogTimes() });
  return { hours, notices, hosts: nodes.hosts };
}

/** Every view of one contract answers one more than is right, in its first word. */
const oneMore = (address: string): FakeNodeOptions => ({
  lies: {
    call: (to, _, right) => (to === address ? `0x${word(BigInt(right.slice(0, 66)) + 1n)}${right.slice(66)}` : right),
  },
});

it.each([
  ["a pool", oneMore(WETH.address)],
  ["a feed", oneMore(aggregator!)],
  ["all, of a block before the last trade", { stoppedAt: (START - GENESIS) / INTERVAL }],
])("wrong states of %s: alone, they prove nothing; beside another node, they are left to that", async (_, wrong) => {
  const { hours } = await read({});
  expect(hours).toHaveLength(1);
  await expect(read(wrong)).rejects.toThrow(/can't be proven|answers for the wrong block/);
  for (const options of [
    [wrong, {}],
    [{}, wrong],
    [{}, wrong, {}],
  ]) {
    const { notices, hosts, ...found } = await read(...options);
    expect(found).toEqual({ hours });
    for (const notice of notices) expect(notice).toContain(`Continuing without ${hosts[options.indexOf(wrong)]}`);
  }
});

it("believes a constant that most nodes say, and none that one of two says", async () => {
  const { chain } = fakeEconomy({ blocks: 300, transfers: 10 });
  const call = { to: chain.token.address, view: "decimals()" as const };
  const said = (decimals: number): FakeNodeOptions => ({ lies: { call: () => `0x${word(decimals)}` } });
  for (const options of [
    [said(6), said(8), said(8)],
    [said(8), said(6), said(8)],
  ]) {
    const { nodes, notices } = await open(options, chain);
    expect(await callViews(nodes, [call])).toEqual([[8n]]);
    expect(notices).toEqual([
      expect.stringMatching(/^Continuing without .* decimals\(\) of 0x.* is 6 by it, but 8 by /),
    ]);
  }
  const { nodes } = await open([said(6), said(8)], chain);
  await expect(callViews(nodes, [call])).rejects.toThrow(
    `The nodes contradict each other: decimals() of ${chain.token.address} at block`,
  );
  const both = (await open([said(6), said(8)], chain)).nodes;
  expect(await callViews(both, [{ ...call, expected: 8n }])).toEqual([[8n]]);
});
