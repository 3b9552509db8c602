import { describe, expect, it } from "vitest";
import { nodeLogs } from "../../../../builder/fetch/chain/logs/node-logs.ts";
import type { BlockRange, RawLog, ReadOptions } from "../../../../builder/fetch/chain/logs/pages.ts";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { fakeEconomy, type Row, TRANSFER } from "../fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "../fake-node.ts";
import { EAGER } from "../patience.ts";

const economy = fakeEconomy({ seed: 1, blocks: 20_000, transfers: 5_000, holders: 50 });

/** Reads all logs of the economy's token through nodes over its chain. */
async function readThrough(nodesOptions: FakeNodeOptions[], options: ReadOptions = {}) {
  const { chain } = economy;
  const fakes = await Promise.all(nodesOptions.map((each) => startFakeNode(chain, each)));
  const nodes = await openNodes(
    fakes.map(({ url }) => url),
    { patience: EAGER },
  );
  const pages: { range: BlockRange; logs: readonly RawLog[] }[] = [];
  const whole = { from: 0, to: chain.finalized };
  try {
    await nodeLogs(nodes).read(
      { address: chain.token.address, topics: [TRANSFER] },
      [whole],
      (logs) => logs,
      async (range, logs) => void pages.push({ range, logs }),
      options,
    );
  } finally {
    nodes.close();
  }
  pages.sort((a, b) => a.range.from - b.range.from);
  return { fakes, pages, whole };
}

const finalRows = economy.rows.filter(({ block }) => block <= economy.chain.finalized);
const placesOf = (rows: readonly Row[]) => rows.map(({ block, logIndex }) => [block, logIndex]);

function expectWhole({ pages, whole }: Awaited<ReturnType<typeof readThrough>>) {
  let next = whole.from;
  for (const { range } of pages) {
    expect(range.from).toBe(next);
    next = range.to + 1;
  }
  expect(next).toBe(whole.to + 1);
  const logs = pages.flatMap((page) => page.logs);
  expect(logs.map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)])).toEqual(placesOf(finalRows));
}

describe("logs of nodes", () => {
  it("are those of the chain, each block once", async () => {
    expectWhole(await readThrough([{}]));
  });

  it.each<[string, FakeNodeOptions[]]>([
    ["a few blocks at a time", [{ maxBlocks: 300 }]],
    ["few logs at a time", [{ maxLogs: 20 }]],
    ["nodes with different limits", [{ maxBlocks: 50 }, { maxBlocks: 5_000 }]],
    ["a node behind the others", [{ behind: 1_000 }, {}]],
    ["a pruned node beside an archive node", [{ prunedBefore: 12_345 }, {}]],
    ["answers that are cut at 1,000 logs", [{ cutsAt: 1_000 }]],
    ["answers that are cut to the last 200 logs", [{ cutsAt: 200, cutsTo: "last" }, { cutsAt: 300 }]],
    ["a node that cuts its answers beside one that does not", [{ cutsAt: 100, cutsTo: "whole blocks" }, {}]],
    ["a text that suggests nothing", [{ maxBlocks: 77, refusal: "limit exceeded" }]],
  ])("are whole with %s", async (_, options) => {
    expectWhole(await readThrough(options));
  });

  it("are refused in a sentence where no node keeps them", async () => {
    // Pages are asked for side by side, so that any of the first may be the one that is refused.
    await expect(readThrough([{ prunedBefore: 12_345 }])).rejects.toThrow(
      /^127\.0\.0\.1:\d+: the logs of blocks \d+ to \d+ are not kept any more \(pruned history unavailable \(4444\)\)\. Use an archive node/,
    );
  });
});
