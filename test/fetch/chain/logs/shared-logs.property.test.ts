/** Readings that share requests give each asset what it would have read alone. */

import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLogs } from "../../../../builder/fetch/chain/logs/node-logs.ts";
import type { BlockRange, RawLog } from "../../../../builder/fetch/chain/logs/pages.ts";
import { BadPage } from "../../../../builder/fetch/chain/logs/pages.ts";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { fakeEconomies, TRANSFER } from "../fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "../fake-node.ts";
import { EAGER } from "../patience.ts";

const BLOCKS = 3_000;
const { chain, tokens } = fakeEconomies(8, { blocks: BLOCKS, transfers: 60, holders: 20 });

async function open(options: FakeNodeOptions[]) {
  const fakes = await Promise.all(options.map((each) => startFakeNode(chain, each)));
  const nodes = await openNodes(
    fakes.map(({ url }) => url),
    { patience: EAGER },
  );
  onTestFinished(() => nodes.close());
  for (const fake of fakes) fake.asked.length = 0;
  return { fakes, nodes, filters: () => fakes.flatMap(({ asked }) => asked.filter(isLogs)) };
}

const isLogs = ({ method }: { method: string }) => method === "eth_getLogs";
const placeOf = ({ blockNumber, logIndex }: RawLog) => [Number(blockNumber), Number(logIndex)];

/** What the chain has of a token in ranges. */
const expected = (token: string, ranges: readonly BlockRange[]) =>
  ranges.flatMap(({ from, to }) => {
    const { start, end } = chain.logsOf(from, to);
    return Array.from({ length: end - start }, (_, i) => chain.log(start + i))
      .filter(({ address }) => address === token)
      .map(({ block, logIndex }) => [block, logIndex]);
  });

type Nodes = Awaited<ReturnType<typeof open>>["nodes"];
type Decode = (logs: readonly RawLog[]) => readonly RawLog[];

/** Reads the logs of a token; its pages, in the order of the chain. */
async function read(nodes: Nodes, token: string, ranges: readonly BlockRange[], decode: Decode = (logs) => logs) {
  const pages: { range: BlockRange; logs: readonly RawLog[] }[] = [];
  const put = async (range: BlockRange, logs: readonly RawLog[]) => void pages.push({ range, logs });
  await nodeLogs(nodes).read({ address: token, topics: [TRANSFER] }, ranges, decode, put, { density: 0.02 });
  return pages.sort((a, b) => a.range.from - b.range.from);
}

const blocksOf = (ranges: readonly BlockRange[]) =>
  ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));

function expectWhole(pages: Awaited<ReturnType<typeof read>>, token: string, ranges: readonly BlockRange[]) {
  expect(blocksOf(pages.map(({ range }) => range))).toEqual(blocksOf(ranges));
  expect(pages.flatMap(({ logs }) => logs.map(placeOf))).toEqual(expected(token, ranges));
}

const night = [{ from: 2_000, to: 2_900 }];

describe("readings that begin together", () => {
  it("share a request", async () => {
    const { nodes, filters } = await open([{}]);
    const all = await Promise.all(tokens.map((token) => read(nodes, token, night)));
    for (const [i, pages] of all.entries()) expectWhole(pages, tokens[i]!, night);
    expect(filters()).toHaveLength(1);
  });

  const nodes = fc.constantFrom<FakeNodeOptions[]>(
    [{}],
    [{ maxBlocks: 300 }],
    [{ maxLogs: 25 }],
    [{ maxAddresses: 3 }],
    [{ maxAddresses: 1, maxBlocks: 500 }],
    [{ maxAddresses: 1 }, { maxBlocks: 700 }],
    [{ cutsAt: 64 }],
    [{ behind: 500 }, {}],
  );
  const ranges = fc
    .uniqueArray(fc.integer({ min: 0, max: BLOCKS - 100 }), { minLength: 2, maxLength: 6 })
    .map((cuts) => cuts.sort((a, b) => a - b))
    .map((cuts) => Array.from({ length: cuts.length >> 1 }, (_, i) => ({ from: cuts[2 * i]!, to: cuts[2 * i + 1]! })));

  it("give what each would have read alone, whatever its blocks and the limits of the nodes", async () => {
    const cases = fc.tuple(nodes, fc.array(ranges, { minLength: 2, maxLength: tokens.length }));
    await fc.assert(
      fc.asyncProperty(cases, async ([options, each]) => {
        const { nodes } = await open(options);
        const all = await Promise.all(each.map((own, i) => read(nodes, tokens[i]!, own)));
        for (const [i, pages] of all.entries()) expectWhole(pages, tokens[i]!, each[i]!);
      }),
      { numRuns: 30 },
    );
  });

  it("learn once how many contracts a node takes", async () => {
    const { nodes, filters, fakes } = await open([{ maxAddresses: 3 }]);
    await Promise.all(tokens.map((token) => read(nodes, token, night)));
    fakes[0]!.asked.length = 0;
    await Promise.all(tokens.map((token) => read(nodes, token, night)));
    // Eight contracts, of which two go into a filter: eight were too many, and four.
    expect(filters()).toHaveLength(4);
  });

  it("ask one by one where a node refuses lists", async () => {
    const { nodes, filters, fakes } = await open([{ maxAddresses: 1 }]);
    const first = await Promise.all(tokens.map((token) => read(nodes, token, night)));
    for (const [i, pages] of first.entries()) expectWhole(pages, tokens[i]!, night);
    fakes[0]!.asked.length = 0;
    await Promise.all(tokens.map((token) => read(nodes, token, night)));
    expect(filters()).toHaveLength(tokens.length);
  });

  it("do not share where one expects many logs", async () => {
    const { nodes, filters } = await open([{}]);
    const options = { density: 10 };
    const many = nodeLogs(nodes).read(
      { address: tokens[0]!, topics: [TRANSFER] },
      night,
      (logs) => logs,
      async () => {},
      options,
    );
    await Promise.all([many, ...tokens.slice(1).map((token) => read(nodes, token, night))]);
    expect(filters().length).toBeGreaterThan(2);
  });

  it("one that fails holds up none, and one whose logs seem damaged reads them again by itself", async () => {
    const { nodes } = await open([{ maxBlocks: 200 }]);
    let damaged = 1;
    const results = await Promise.allSettled(
      tokens.map((token, i) =>
        read(nodes, token, night, (logs) => {
          if (i === 2 && logs.length > 0) throw new Error("disk full");
          if (i === 3 && logs.length > 0 && damaged-- > 0) throw new BadPage("a log is damaged");
          return logs;
        }),
      ),
    );
    for (const [i, result] of results.entries()) {
      if (i === 2) expect(result).toMatchObject({ status: "rejected", reason: { message: "disk full" } });
      else if (result.status === "rejected") throw result.reason;
      else expectWhole(result.value, tokens[i]!, night);
    }
  });
});
