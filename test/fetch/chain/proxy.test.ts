/** The proxy does what it is told: a fault that went unnoticed would prove nothing. */

import { describe, expect, it } from "vitest";
import { rpc, rpcAll } from "./anvil.ts";
import { fakeEconomy } from "./fake-chain.ts";
import { startFakeNode } from "./fake-node.ts";
import { PROVIDERS, type ProviderName } from "./providers.ts";
import { FAULT_NAMES, type ProxyOptions, startProxy } from "./proxy.ts";

const { chain } = fakeEconomy({ blocks: 1_000, transfers: 300 });
const filter = (from: number, to: number) => ({ fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` });
const CALLS = [
  { method: "eth_getLogs", params: [filter(0, 1_000)] },
  { method: "eth_getBlockByNumber", params: ["0x10", false] },
  { method: "eth_blockNumber", params: [] },
];

async function start(options: ProxyOptions) {
  const node = await startFakeNode(chain);
  return startProxy(node.url, options);
}

/** Status, headers and text of an answer; the error if there is none. */
async function exchange(url: string): Promise<string> {
  const body = JSON.stringify(CALLS.map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
  try {
    const response = await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(10_000) });
    return `${response.status} ${response.headers.get("retry-after")} ${await response.text()}`;
  } catch (error) {
    return String(error);
  }
}

describe("the proxy", () => {
  it("passes requests on", async () => {
    const node = await startFakeNode(chain);
    const proxy = await startProxy(node.url);
    expect(await exchange(proxy.url)).toBe(await exchange(node.url));
    expect(proxy.ranges()).toEqual([{ from: 0, to: 1_000 }]);
    expect(proxy.asked.map(({ method }) => method)).toEqual(CALLS.map(({ method }) => method));
  });

  it.each(FAULT_NAMES)("injects: %s", async (name) => {
    const node = await startFakeNode(chain);
    const proxy = await startProxy(node.url, { faults: [name], share: 1, inARow: 1 });
    const sound = await exchange(node.url);
    expect(await exchange(proxy.url)).not.toBe(sound);
    expect(await exchange(proxy.url)).toBe(sound);
    expect([...proxy.met]).toEqual([[name, 1]]);
  });

  it.each(Object.keys(PROVIDERS) as ProviderName[])("refuses ranges as %s does", async (provider) => {
    const proxy = await start({ limit: { blocks: 100, logs: 20, provider } });
    const said = PROVIDERS[provider].text({ from: 0, to: 100, limit: 100 });
    await expect(rpc(proxy.url, "eth_getLogs", filter(0, 100))).rejects.toThrow(said);
    await expect(rpc(proxy.url, "eth_getLogs", filter(100, 199))).rejects.toThrow();
    expect(await rpc(proxy.url, "eth_getLogs", filter(100, 101))).toEqual(expect.any(Array));
  });

  it("is behind the head without a word", async () => {
    const proxy = await start({ behind: 400 });
    expect(await rpc(proxy.url, "eth_blockNumber")).toBe("0x258");
    expect(await rpc(proxy.url, "eth_getBlockByNumber", "latest", false)).toMatchObject({ number: "0x258" });
    expect(await rpc(proxy.url, "eth_getBlockByNumber", "finalized", false)).toMatchObject({ number: "0x218" });
    expect(await rpc(proxy.url, "eth_getBlockByNumber", "0x259", false)).toBe(null);
    expect(await rpc(proxy.url, "eth_getLogs", filter(601, 1_000))).toEqual([]);
  });

  it("leaves out logs, states, batches and history", async () => {
    const options = { emptyBefore: 300, omits: ({ logIndex }: { logIndex: string }) => logIndex === "0x1", states: 10 };
    const proxy = await start(options);
    expect(await rpc(proxy.url, "eth_getLogs", filter(0, 299))).toEqual([]);
    const all = (await rpc(proxy.url, "eth_getLogs", filter(300, 1_000))) as { logIndex: string }[];
    expect(all.some(({ logIndex }) => logIndex === "0x0")).toBe(true);
    expect(all.some(({ logIndex }) => logIndex === "0x1")).toBe(false);
    await expect(rpc(proxy.url, "eth_getCode", chain.token.address, "0x3de")).rejects.toThrow("missing trie node");
    expect(await rpc(proxy.url, "eth_getCode", chain.token.address, "0x3df")).not.toBe("0x");
    proxy.options = { prunedBefore: 300, batches: 2 };
    await expect(rpc(proxy.url, "eth_getLogs", filter(299, 1_000))).rejects.toThrow("pruned history unavailable");
    await expect(rpcAll(proxy.url, CALLS)).rejects.toThrow("batch size exceeds 2");
  });
});
