/** Logs and headers are the same whatever a node or the network does now and then. */

import { describe, expect, it } from "vitest";
import { readBlocks } from "../../../builder/fetch/chain/blocks.ts";
import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import type { RawLog } from "../../../builder/fetch/chain/logs/pages.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { DEFAULT_TIMEOUTS } from "../../../builder/fetch/chain/rpc/exchange.ts";
import { fakeEconomy, TRANSFER } from "./fake-chain.ts";
import { startFakeNode } from "./fake-node.ts";
import { EAGER } from "./patience.ts";
import { PROVIDERS, type ProviderName } from "./providers.ts";
import { FAULT_NAMES, type ProxyOptions, RATE_LIMITS, startProxy } from "./proxy.ts";

const { chain, rows } = fakeEconomy({ blocks: 4_000, transfers: 800 });
const filter = { address: chain.token.address, topics: [TRANSFER] };
const expected = rows.map(({ block, logIndex, value }) => `${block}:${logIndex}:${value}`);
const NUMBERS = Array.from({ length: 120 }, (_, index) => index * 31);

/** What a client brings from nodes behind proxies: logs in their order, and hashes of blocks. */
async function bring(options: readonly ProxyOptions[], timeouts = DEFAULT_TIMEOUTS) {
  const node = await startFakeNode(chain);
  const proxies = await Promise.all(options.map((one) => startProxy(node.url, one)));
  const nodes = await openNodes(
    proxies.map(({ url }) => url),
    // On a busy machine, many readings at once come to nothing for seconds.
    { patience: { ...EAGER, hopelessAfterMs: 20_000 }, timeouts },
  );
  try {
    const pages: { from: number; logs: string[] }[] = [];
    const decode = (logs: readonly RawLog[]) =>
      logs.map(({ blockNumber, logIndex, data }) => `${Number(blockNumber)}:${Number(logIndex)}:${BigInt(data)}`);
    const ranges = [
      { from: 100, to: 1_999 },
      { from: 2_000, to: 3_900 },
    ];
    await nodeLogs(nodes).read(filter, ranges, decode, async ({ from }, logs) => void pages.push({ from, logs }), {
      firstPage: 100,
    });
    const blocks = await readBlocks(nodes, NUMBERS);
    const logs = pages.sort((a, b) => a.from - b.from).flatMap(({ logs }) => logs);
    return { logs, hashes: blocks.map(({ hash }) => hash), proxies };
  } finally {
    nodes.close();
  }
}

const wanted = expected.filter((text) => Number(text.split(":")[0]) <= 3_900);
const hashes = NUMBERS.map((number) => chain.hashOf(number));

describe("logs and headers are the same", () => {
  // They mostly wait: so all wait at once.
  it("through each fault", async () => {
    const brought = await Promise.all(
      FAULT_NAMES.map(async (name) => {
        const most = RATE_LIMITS.has(name) ? 2 : 1_000;
        return { name, ...(await bring([{ faults: [name], share: 0.1, seed: 7, most }])) };
      }),
    );
    for (const { name, proxies, logs, hashes: found } of brought) {
      expect(proxies[0]!.met.get(name), name).toBeGreaterThan(0);
      expect(logs, name).toEqual(wanted);
      expect(found, name).toEqual(hashes);
    }
  });

  it("with the limits of each provider", async () => {
    const providers = Object.keys(PROVIDERS) as ProviderName[];
    const brought = await Promise.all(
      providers.map((provider) => bring([{ limit: { blocks: 30, logs: 12, provider } }])),
    );
    for (const [index, { logs }] of brought.entries()) expect(logs, providers[index]).toEqual(wanted);
  });

  it("where no answer at all is the only sign of too long a range", async () => {
    expect((await bring([{ silentAbove: 60 }], { idle: 1_000, total: 5_000 })).logs).toEqual(wanted);
  });

  it("through all of that at once, from two nodes, one of which is behind", async () => {
    const faults = FAULT_NAMES.filter((name) => !RATE_LIMITS.has(name));
    const first = { faults, share: 0.2, seed: 3, limit: { blocks: 50, provider: "erigon" } } as const;
    const second = { faults, share: 0.2, seed: 4, behind: 500, batches: 5 };
    const { logs, hashes: found } = await bring([first, second]);
    expect(logs).toEqual(wanted);
    expect(found).toEqual(hashes);
  });
});
