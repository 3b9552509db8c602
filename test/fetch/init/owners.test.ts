/** Owners where old states are gone: by the contract's events. Over a server that answers as such a node does. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { Contract } from "../../../builder/fetch/init/contract.ts";
import { findOwners, OWNERSHIP_TRANSFERRED } from "../../../builder/fetch/init/owners.ts";

const TOKEN = `0x${"70".repeat(20)}`;
const [FIRST, SECOND, THIRD] = ["11", "22", "33"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const FINAL = { number: 1000, hash: "", parentHash: "", time: 0, final: 1000 };
const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;
const transferred = (block: number, from: string, to: string) => ({
  blockNumber: `0x${block.toString(16)}`,
  topics: [OWNERSHIP_TRANSFERRED, word(from), word(to)],
});

interface Request {
  id: number;
  method: string;
  params: unknown[];
}

const hash = (block: number) => `0x${block.toString(16).padStart(64, "0")}`;
const header = (block: number) => ({
  number: `0x${block.toString(16)}`,
  hash: hash(block + 1),
  parentHash: hash(block),
  timestamp: "0x1",
});

const GONE = { code: -32000, message: "missing trie node 12ab (path ) state 0x12 is not available" };
const atLast = (result: string) => (block: unknown) => (block === "0x3e8" ? { result } : { error: GONE });

/** A node that keeps the state of block 1000 alone, whose owner is the third. */
async function node(logs: object[] | string) {
  const answers: Record<string, (block: unknown) => object> = {
    eth_chainId: () => ({ result: "0x1" }),
    eth_getBlockByNumber: (block) => ({ result: header(Number(block)) }),
    eth_getCode: atLast("0x"),
    eth_call: atLast(word(THIRD)),
    eth_getLogs: () => (typeof logs === "string" ? { error: { code: -32005, message: logs } } : { result: logs }),
  };
  const server = createServer(async (request, response) => {
    const { id, method, params } = (await json(request)) as Request;
    const block = method === "eth_getBlockByNumber" ? params[0] : params[1];
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answers[method]!(block) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const nodes = await openNodes([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  onTestFinished(() => {
    nodes.close();
    server.closeAllConnections();
    server.close();
  });
  return findOwners(nodes, new Contract(nodes, TOKEN), 100, FINAL);
}

it("are those of its events", async () => {
  const zero = `0x${"0".repeat(40)}`;
  expect(
    await node([transferred(100, zero, FIRST), transferred(300, FIRST, SECOND), transferred(500, SECOND, THIRD)]),
  ).toEqual([
    { fromBlock: 100, address: FIRST },
    { fromBlock: 300, address: SECOND },
    { fromBlock: 500, address: THIRD },
  ]);
});

it("begin with whom the first event names, if it comes late", async () => {
  expect(await node([transferred(300, FIRST, THIRD)])).toEqual([
    { fromBlock: 100, address: FIRST },
    { fromBlock: 300, address: THIRD },
  ]);
});

it.each([[[]], ["query exceeds max block range 10"]])(
  "are today's without events that can be had: %j",
  async (logs) => {
    expect(await node(logs)).toEqual([{ fromBlock: 100, address: THIRD }]);
  },
);
