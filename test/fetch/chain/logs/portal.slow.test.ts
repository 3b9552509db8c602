import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { BlockRange, RawLog } from "../../../../builder/fetch/chain/logs/pages.ts";
import { portalLogs } from "../../../../builder/fetch/chain/logs/portal.ts";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { fakeEconomy, TRANSFER } from "../fake-chain.ts";
import { type FakeNode, startFakeNode } from "../fake-node.ts";
import { EAGER } from "../patience.ts";
import { type PortalServerOptions, startPortal } from "../portal-server.ts";

const { chain } = fakeEconomy({ seed: 3, blocks: 4_000, transfers: 6_000, holders: 20 });
const filter = { address: chain.token.address.toUpperCase().replace("X", "x"), topics: [TRANSFER] };
const WHOLE = { from: 90, to: 3_900 };

async function read(options: Partial<PortalServerOptions> = {}, ranges: readonly BlockRange[] = [WHOLE]) {
  const portal = await startPortal(chain, { dataset: "ethereum-mainnet", last: 3_900, ...options });
  const node: FakeNode = await startFakeNode(chain);
  const nodes = await openNodes([node.url], { patience: EAGER });
  const notices: string[] = [];
  const pages: { range: BlockRange; logs: readonly RawLog[] }[] = [];
  const source = portalLogs(nodes, {
    url: portal.url,
    onNotice: (text) => notices.push(text),
    requestsPerSecond: 1_000,
    timeouts: { idle: 2_000, total: 20_000 },
  });
  try {
    await source.read(
      filter,
      ranges,
      (logs) => logs,
      async (range, logs) => void pages.push({ range, logs }),
    );
  } finally {
    nodes.close();
  }
  pages.sort((a, b) => a.range.from - b.range.from);
  return { ...portal, node, notices, pages };
}

/** What a node answers for the same blocks. */
function logsOf({ from, to }: BlockRange): RawLog[] {
  const { start, end } = chain.logsOf(from, to);
  return Array.from({ length: end - start }, (_, index) => {
    const { address, topics, data, blockNumber, blockHash, logIndex, blockTimestamp } = JSON.parse(
      chain.logText(start + index),
    ) as RawLog;
    return { address, topics, data, blockNumber, blockHash, logIndex, ...(blockTimestamp ? { blockTimestamp } : {}) };
  });
}

function expectWhole(pages: readonly { range: BlockRange; logs: readonly RawLog[] }[], range = WHOLE) {
  let next = range.from;
  for (const page of pages) {
    expect(page.range.from).toBe(next);
    next = page.range.to + 1;
  }
  expect(next).toBe(range.to + 1);
  const found = pages.flatMap(({ logs }) => logs);
  const members = ({ address, topics, data, blockNumber, blockHash, logIndex, blockTimestamp }: RawLog) => ({
    address,
    topics,
    data,
    blockNumber,
    blockHash,
    logIndex,
    blockTimestamp,
  });
  expect(found.map(members)).toEqual(logsOf(range).map(members));
}

describe("logs of the portal", () => {
  it.each([5_000, 1_000, 256])("are whole where it ends them after %i without saying so", async (cutsAt) => {
    const { pages, queries } = await read({ cutsAt });
    expectWhole(pages);
    // A stream, and a look at what follows its last log.
    expect(queries.length).toBeLessThan(2 * (6_000 / cutsAt) + 12);
  });

  it("are those that a node sends, with times", async () => {
    const { pages, queries } = await read();
    expectWhole(pages);
    expect(pages.length).toBeGreaterThan(1);
    expect(queries).toEqual([
      {
        type: "evm",
        fromBlock: 90,
        toBlock: 3_900,
        fields: {
          block: { number: true, hash: true, timestamp: true },
          log: { address: true, topics: true, data: true, logIndex: true },
        },
        logs: [{ address: [chain.token.address], topic0: [TRANSFER] }],
      },
    ]);
  });

  it("are whole where an answer ends before the range does", async () => {
    const { pages, queries } = await read({ span: 1_000, compressed: false });
    expectWhole(pages);
    expect(queries.map(({ fromBlock }) => fromBlock)).toEqual([90, 1_090, 2_090, 3_090]);
  });

  it("come from the nodes where the portal has none yet", async () => {
    const { pages, node, notices } = await read({ last: 2_500 });
    expectWhole(pages);
    expect(Math.min(...node.ranges.map(({ from }) => from))).toBe(2_501);
    expect(notices).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+ ends before block 2501: the rest comes from the nodes/),
    ]);
  });

  const json = (response: ServerResponse, status: number, error: object, headers: Record<string, string> = {}) => {
    response.removeHeader("content-encoding");
    response.writeHead(status, headers).end(JSON.stringify({ error }));
  };
  const BUSY = { type: "rate_limit_error", code: "overloaded", message: "Service is overloaded" };
  const FAULTS: Record<string, PortalServerOptions["fault"]> = {
    "too many requests": (response) => json(response, 429, BUSY, { "retry-after": "1" }),
    overload: (response) => json(response, 529, BUSY, { "retry-after": "0" }),
    "no workers": (response) => json(response, 503, { type: "availability_error", code: "no_workers" }),
    "a web page": (response) => {
      response.removeHeader("content-encoding");
      response.writeHead(502).end("<html>");
    },
    "a stream that breaks": (response, whole) => {
      response.writeHead(200);
      response.write(whole.subarray(0, whole.length / 2), () => response.destroy());
    },
    "a stream that stops": (response, whole) => void response.writeHead(200).write(whole.subarray(0, whole.length / 3)),
    "a stream that is cut short": (response, whole) =>
      void response.writeHead(200).end(whole.subarray(0, whole.length - 30)),
    "an empty stream": (response) => {
      response.removeHeader("content-encoding");
      response.writeHead(200).end();
    },
    "a line that is not a block": (response) => {
      response.removeHeader("content-encoding");
      response.writeHead(200).end('{"header":{"number":1}}\n');
    },
    "blocks of another range": (response) => {
      response.removeHeader("content-encoding");
      response.writeHead(200).end(`{"header":{"number":5000,"hash":"0x${"1".repeat(64)}","timestamp":1}}\n`);
    },
  };

  it.each(
    Object.entries(FAULTS).flatMap(([name, fault]) =>
      [true, false].map((compressed) => ({ name, fault: fault!, compressed })),
    ),
  )("are whole after $name (compressed: $compressed)", async ({ fault, compressed }) => {
    expectWhole((await read({ fault, compressed, faults: 1 })).pages);
  });

  it("are given up in a sentence", async () => {
    const busy = (response: ServerResponse) => json(response, 429, BUSY, { "retry-after": "3600" });
    await expect(read({ fault: busy, faults: 99 })).rejects.toThrow(
      /^127\.0\.0\.1:\d+ does not send the logs from block 90: Service is overloaded \(status 429\)\. Run this again later, or without --source portal/,
    );
    await expect(read({ dataset: "polygon-mainnet" })).rejects.toThrow(/does not send .*\(status 404\)/);
    const node = await startFakeNode(chain, { chainId: 31337 });
    const nodes = await openNodes([node.url], { patience: EAGER });
    expect(() => portalLogs(nodes)).toThrow("SQD's portal is not known to have chain 31337, only the chains 1, 10,");
    nodes.close();
  });
});
