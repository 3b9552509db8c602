import { describe, expect, it } from "vitest";
import { rpc } from "./anvil.ts";
import { addressWord, fakeEconomy, TRANSFER } from "./fake-chain.ts";
import { startFakeNode } from "./fake-node.ts";

const economy = (seed = 1) => fakeEconomy({ seed, blocks: 2_000, transfers: 500, holders: 20 });

describe("a fake node", () => {
  it("answers with the logs of what was made up", async () => {
    const { chain, rows } = economy();
    const node = await startFakeNode(chain);
    const { url } = node;
    const filter = { address: chain.token.address, topics: [TRANSFER], fromBlock: "0x0", toBlock: "0x7d0" };
    const logs = (await rpc(url, "eth_getLogs", filter)) as {
      topics: string[];
      data: string;
      blockTimestamp: string;
    }[];
    expect(logs.map(({ topics, data, blockTimestamp }) => [...topics, BigInt(data), Number(blockTimestamp)])).toEqual(
      rows.map(({ from, to, value, time }) => [
        TRANSFER,
        `0x${addressWord(from)}`,
        `0x${addressWord(to)}`,
        value,
        time,
      ]),
    );
    const [first] = rows;
    const narrow = {
      ...filter,
      fromBlock: `0x${first!.block.toString(16)}`,
      toBlock: `0x${first!.block.toString(16)}`,
    };
    expect(await rpc(url, "eth_getLogs", narrow)).toHaveLength(
      rows.filter(({ block }) => block === first!.block).length,
    );
    expect(node.ranges).toEqual([
      { from: 0, to: 2_000 },
      { from: first!.block, to: first!.block },
    ]);
  });

  it("has balances that no one overdraws and that add up to the supply", async () => {
    const { chain, rows } = economy(2);
    const balances = [...new Set(rows.map(({ to }) => to))].map((owner) => chain.balanceOf(owner, 2_000));
    expect(balances.every((balance) => balance >= 0n)).toBe(true);
    const burnt = chain.balanceOf(`0x${"0".repeat(40)}`, 2_000);
    expect(balances.reduce((sum, balance) => sum + balance, 0n) - burnt).toBe(chain.totalSupply(2_000));
    const { url } = await startFakeNode(chain);
    const data = `0x70a08231${addressWord(rows.at(-1)!.to)}`;
    const answer = (await rpc(url, "eth_call", { to: chain.token.address, data }, "latest")) as string;
    expect(BigInt(answer)).toBe(chain.balanceOf(rows.at(-1)!.to, 2_000));
  });

  it("refuses what providers refuse", async () => {
    const { chain } = economy();
    const { url, options } = await startFakeNode(chain, { maxBlocks: 10, states: 100, prunedBefore: 50, behind: 5 });
    const range = (fromBlock: string, toBlock: string) => ({ address: chain.token.address, fromBlock, toBlock });
    await expect(rpc(url, "eth_getLogs", range("0x64", "0x6e"))).rejects.toThrow("range 11 exceeds limit of 10");
    await expect(rpc(url, "eth_getLogs", range("0x1", "0x2"))).rejects.toThrow("pruned history unavailable");
    await expect(rpc(url, "eth_getCode", chain.token.address, "0x1")).rejects.toThrow("missing trie node");
    expect(await rpc(url, "eth_getBlockByNumber", "0x7d0", false)).toBe(null);
    options.batches = 0;
    await expect(rpc(url, "eth_chainId")).rejects.toThrow("batch requests are not supported");
  });
});
