import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../builder/demo/simulate/random.ts";
import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import { BadPage, type BlockRange, type RawLog, type ReadOptions } from "../../../builder/fetch/chain/logs/pages.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import {
  asRawLog,
  CONTRACT,
  FAULTS,
  type FaultyNodeOptions,
  type MadeUpLog,
  startFaultyNode,
  TOPIC,
} from "./faulty-node.ts";
import { EAGER } from "./patience.ts";
import { send, startServer } from "./rpc-server.ts";

const FILTER = { address: CONTRACT, topics: [TOPIC] };

async function readAll(urls: readonly string[], ranges: readonly BlockRange[], options: ReadOptions = {}) {
  const notices: string[] = [];
  const nodes = await openNodes(urls, {
    patience: EAGER,
    timeouts: { idle: 1_000, total: 5_000 },
    requestsPerSecond: 10_000,
    onNotice: (text) => notices.push(text),
  });
  const pages: { range: BlockRange; logs: readonly RawLog[] }[] = [];
  try {
    await nodeLogs(nodes).read(
      FILTER,
      ranges,
      (logs) => logs,
      async (range, logs) => void pages.push({ range, logs }),
      options,
    );
  } finally {
    nodes.close();
  }
  pages.sort((a, b) => a.range.from - b.range.from);
  return { pages, notices };
}

/** Blocks that pages cover, in order; fails where two overlap. */
function covered(pages: readonly { range: BlockRange }[]): BlockRange[] {
  const merged: BlockRange[] = [];
  for (const { range } of pages) {
    const last = merged.at(-1);
    if (last) expect(range.from).toBeGreaterThan(last.to);
    if (last && range.from === last.to + 1) last.to = range.to;
    else merged.push({ ...range });
  }
  return merged;
}

const TEXTS = [
  "range 1000000 exceeds limit of 10000",
  "query block range exceeds server limit",
  "query returns too many logs",
  "larger than max block range",
  "limit exceeded",
  "block range too high",
  "request timed out",
  "this block range should work: [0x0, 0xfffff]",
  "up to 10000 blocks",
  "something went wrong",
];

describe("logs of nodes that fail", () => {
  const node = fc.record({
    maxBlocks: fc.constantFrom(1, 2, 10, 700, 1_000_000),
    maxLogs: fc.constantFrom(1, 20, 1_000_000),
    refusal: fc.constantFrom(...TEXTS),
    faults: fc.constantFrom(0, 0.1, 0.4),
    prunedBefore: fc.constantFrom(0, 0, 150),
  });
  const log = fc.record({ block: fc.nat(299), logIndex: fc.nat(5) });
  const logs = fc.uniqueArray(log, { maxLength: 200, selector: ({ block, logIndex }) => block * 10 + logIndex });

  it("are exactly the chain's, each block once", async () => {
    await fc.assert(
      fc.asyncProperty(
        logs,
        fc.array(node, { minLength: 1, maxLength: 3 }),
        fc.tuple(fc.nat(299), fc.nat(299)),
        fc.nat(2 ** 31),
        async (unsorted, nodes, [a, b], seed) => {
          const all: MadeUpLog[] = unsorted.toSorted((x, y) => x.block - y.block || x.logIndex - y.logIndex);
          const random = new Random(seed, 1);
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          // Someone keeps all; and without a node that mostly works, giving up is right.
          const options: FaultyNodeOptions[] = nodes.map((each, index) => ({
            ...each,
            head: 299,
            logs: all,
            random,
            ...(index === 0 ? { prunedBefore: 0, faults: Math.min(each.faults, 0.1) } : {}),
          }));
          const started = await Promise.all(options.map(startFaultyNode));
          const ranges =
            to - from > 20
              ? [
                  { from, to: from + 9 },
                  { from: from + 12, to },
                ]
              : [{ from, to }];
          const { pages } = await readAll(
            started.map(({ url }) => url),
            ranges,
            { firstPage: 1 + (seed % 100) },
          );
          expect(covered(pages)).toEqual(ranges);
          const wanted = all.filter(({ block }) => ranges.some((range) => block >= range.from && block <= range.to));
          expect(
            pages.flatMap((page) => page.logs.map((each) => ({ ...each, address: each.address.toLowerCase() }))),
          ).toEqual(wanted.map(asRawLog));
        },
      ),
      { numRuns: 40, timeout: 8_000, endOnFailure: true },
    );
  });

  it.each(Object.keys(FAULTS))("are whole although the first five answers are: %s", async (fault) => {
    const all = Array.from({ length: 300 }, (_, block) => ({ block, logIndex: block % 3 }));
    let left = 5;
    const url = await startServer(
      ({ method, params }) => {
        if (method === "eth_chainId") return { result: "0x1" };
        if (method === "eth_blockNumber") return { result: "0x12b" };
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        return {
          result: all.filter(({ block }) => block >= Number(fromBlock) && block <= Number(toBlock)).map(asRawLog),
        };
      },
      (body, response) => {
        if (Array.isArray(body) || body.method !== "eth_getLogs" || left-- <= 0) return false;
        const { fromBlock, toBlock } = body.params[0] as { fromBlock: string; toBlock: string };
        FAULTS[fault]!(response, body, () =>
          all.filter(({ block }) => block >= Number(fromBlock) && block <= Number(toBlock)).map(asRawLog),
        );
        return true;
      },
    );
    const { pages } = await readAll([url], [{ from: 0, to: 299 }]);
    expect(covered(pages)).toEqual([{ from: 0, to: 299 }]);
    expect(pages.flatMap((page) => page.logs)).toHaveLength(300);
  });
});

/** A node whose answers to eth_getLogs a test makes; blocks 0 to 1,000. */
function startLogServer(logs: (range: BlockRange) => { result: unknown } | { error: unknown } | undefined) {
  return startServer(({ method, params }) => {
    if (method === "eth_chainId") return { result: "0x1" };
    if (method === "eth_blockNumber") return { result: "0x3e8" };
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    return logs({ from: Number(fromBlock), to: Number(toBlock) }) ?? { result: [] };
  });
}

describe("a block that can't be read", () => {
  it("is given up after 8 attempts, spread over all nodes, and named", async () => {
    const asked = [0, 0];
    const start = (index: number) =>
      startLogServer(({ from, to }) => {
        if (from > 77 || to < 77) return undefined;
        if (from === to) asked[index]!++;
        return { error: { code: -32000, message: `broken ${index}` } };
      });
    const urls = [await start(0), await start(1)];
    await expect(readAll(urls, [{ from: 0, to: 999 }])).rejects.toThrow(
      /^The logs of block 77 can't be read from 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+: 8 attempts failed, the last one because broken [01] \(-32000\)\. Add another node/,
    );
    expect(asked).toEqual([4, 4]);
  });

  it("is read from the one node that has it", async () => {
    const broken = () =>
      startLogServer(({ from, to }) => (from <= 77 && to >= 77 ? { error: { message: "broken" } } : undefined));
    const urls = [await broken(), await broken(), await startLogServer(() => undefined)];
    expect(covered((await readAll(urls, [{ from: 0, to: 999 }])).pages)).toEqual([{ from: 0, to: 999 }]);
  });

  it("is given up with what the decoder says of it", async () => {
    const url = await startLogServer(() => undefined);
    const nodes = await openNodes([url], { patience: EAGER });
    const decode = (_: unknown, { from, to }: BlockRange) => {
      if (from <= 5 && to >= 5) throw new BadPage("it has two times for block 5");
    };
    const reading = nodeLogs(nodes).read(FILTER, [{ from: 0, to: 9 }], decode, async () => {});
    await expect(reading).rejects.toThrow(
      /block 5 can't be read from \S+: 8 attempts failed, .* two times for block 5/,
    );
    nodes.close();
  });
});

describe("the size of pages", () => {
  it("wastes few requests at a hard limit, also one that is told wrong", async () => {
    for (const [limit, message] of [
      [10, "up to a 10 block range"],
      [10_000, "range exceeds limit of 20000"],
      [777, "no"],
    ] as const) {
      let [asked, refused] = [0, 0];
      const last = limit * 400;
      const url = await startServer(({ method, params }) => {
        if (method === "eth_chainId") return { result: "0x1" };
        if (method === "eth_blockNumber") return { result: `0x${last.toString(16)}` };
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        asked++;
        if (Number(toBlock) - Number(fromBlock) < limit) return { result: [] };
        refused++;
        return { error: { code: -32602, message } };
      });
      await readAll([url], [{ from: 0, to: last }]);
      expect(refused / asked).toBeLessThan(0.06);
      expect(asked).toBeLessThan(400 * 1.25);
    }
  });

  it("recovers from a busy stretch", async () => {
    // 40 logs a block in the middle: of those, the node takes 25 blocks at a time.
    let asked = 0;
    const url = await startServer(({ method, params }) => {
      if (method === "eth_chainId") return { result: "0x1" };
      if (method === "eth_blockNumber") return { result: "0xfffff" };
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      const [from, to] = [Number(fromBlock), Number(toBlock)];
      asked++;
      const busy = Math.max(0, Math.min(to, 101_999) - Math.max(from, 100_000) + 1);
      if (busy * 40 > 1_000) return { error: { code: -32005, message: "query returned more than 1000 results" } };
      const blocks = Array.from({ length: busy }, (_, index) => Math.max(from, 100_000) + index);
      return {
        result: blocks.flatMap((block) => Array.from({ length: 40 }, (__, logIndex) => asRawLog({ block, logIndex }))),
      };
    });
    const { pages } = await readAll([url], [{ from: 0, to: 400_000 }]);
    expect(pages.flatMap((page) => page.logs)).toHaveLength(80_000);
    // At least 80 pages of the busy stretch; 300,000 blocks after it would be 12,000 pages of its size.
    expect(asked).toBeLessThan(600);
  });

  it("stays bounded where the logs are many", async () => {
    const url = await startLogServer(({ from, to }) => {
      const blocks = Array.from({ length: to - from + 1 }, (_, index) => from + index);
      return {
        result: blocks.flatMap((block) => Array.from({ length: 400 }, (__, logIndex) => asRawLog({ block, logIndex }))),
      };
    });
    const { pages } = await readAll([url], [{ from: 0, to: 300 }], { firstPage: 5 });
    expect(Math.max(...pages.map(({ logs }) => logs.length))).toBeLessThan(10_001);
    expect(pages.length).toBeLessThan(80);
  });
});

describe("nodes of different use", () => {
  it("share the work by their speed, and one that refuses the key is left out", async () => {
    const served = [0, 0];
    const start = (index: number, ms: number) =>
      startServer(async ({ method }) => {
        if (method === "eth_chainId") return { result: "0x1" };
        if (method === "eth_blockNumber") return { result: "0xffffff" };
        await new Promise((done) => setTimeout(done, ms));
        served[index]!++;
        return { result: [] };
      });
    const refusing = await startServer(
      ({ method }) => ({ result: method === "eth_chainId" ? "0x1" : "0xffffff" }),
      (body, response) => !Array.isArray(body) && body.method === "eth_getLogs" && send(response, 401, "key disabled"),
    );
    const { notices } = await readAll([await start(0, 2), await start(1, 60), refusing], [{ from: 0, to: 3_000_000 }]);
    expect(served[0]).toBeGreaterThan(served[1]! * 2);
    expect(served[1]).toBeGreaterThan(0);
    expect(notices).toEqual([
      expect.stringMatching(
        /^Continuing without 127\.0\.0\.1:\d+, which refuses the key or the request: key disabled \(status 401\)\.$/,
      ),
    ]);
  });

  it("are not asked for blocks that they don't have yet", async () => {
    // Answers with no logs, as nodes do for blocks beyond their head.
    const behind = await startServer(({ method, params }) => {
      if (method === "eth_chainId") return { result: "0x1" };
      if (method === "eth_blockNumber") return { result: "0x64" };
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      const blocks = Array.from({ length: 101 }, (_, block) => block);
      return {
        result: blocks
          .filter((block) => block >= Number(fromBlock) && block <= Number(toBlock))
          .map((block) => asRawLog({ block, logIndex: 0 })),
      };
    });
    const ahead = await startLogServer(({ from, to }) => ({
      result: Array.from({ length: to - from + 1 }, (_, index) => asRawLog({ block: from + index, logIndex: 0 })),
    }));
    const { pages } = await readAll([behind, ahead], [{ from: 0, to: 999 }], { firstPage: 60 });
    expect(pages.flatMap((page) => page.logs)).toHaveLength(1_000);
    await expect(readAll([behind], [{ from: 0, to: 999 }])).rejects.toThrow(
      /^No node has block 101 yet: 127\.0\.0\.1:\d+ is at block 100\./,
    );
  });
});
