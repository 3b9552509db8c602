/**
 * A node that counts. It ends with its standard input. A line there sets the last block and the milliseconds that each answer
 * takes, as `BLOCK MS`; it answers with how many calls it was asked since the line before, each call of a batch for itself, as
 * JSON by method.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { scanned } from "../../test/fetch/chain/scanners.ts";
import type { Chain, Log } from "./chain.ts";

interface Call {
  id: number;
  method: string;
  params: never[];
}

interface Filter {
  address: string | string[];
  fromBlock: string;
  toBlock: string;
}

class Reverted extends Error {}

const hex = (number: number) => `0x${number.toString(16)}`;
const hashOf = (block: number) => `0x${Math.max(0, block).toString(16).padStart(64, "b")}`;

/**
 * Serves a chain, and prints the port, and what else the benchmark has to know, on a line.
 *
 * @param confirmations blocks that are not final yet
 */
export function serveChain(chain: Chain, confirmations: number, facts: readonly number[] = []): void {
  let [head, delay] = [0, 0];
  let asked: Record<string, number> = {};

  const timeOf = (block: number) => chain.genesis + chain.blockSeconds * block;

  function blockOf(tag: string): number {
    if (tag === "finalized") return Math.max(0, head - confirmations);
    return tag === "latest" ? head : Number(tag);
  }

  function header(tag: string) {
    const block = blockOf(tag);
    if (block > head) return null;
    return { number: hex(block), hash: hashOf(block), parentHash: hashOf(block - 1), timestamp: hex(timeOf(block)) };
  }

  const logOf = ({ block, logIndex, ...log }: Log) => ({
    ...log,
    blockNumber: hex(block),
    blockHash: hashOf(block),
    blockTimestamp: hex(timeOf(block)),
    logIndex: hex(logIndex),
  });

  function call({ to, data }: { to: string; data: string }, tag: string, overrides?: Record<string, { code: string }>) {
    const block = blockOf(tag);
    const scan = scanned({ to, data }, overrides, {
      time: timeOf(block),
      number: block,
      parentHash: hashOf(block - 1),
      call: (to, data) => chain.call(to, data, block),
      code: (address) => (chain.isContract(address) ? "0x00" : "0x"),
    });
    if (scan !== undefined) return scan;
    const answer = chain.call(to, data, block);
    if (answer === undefined) throw new Reverted("execution reverted");
    return `0x${answer}`;
  }

  const methods: Record<string, (params: never[]) => unknown> = {
    eth_chainId: () => "0x1",
    eth_blockNumber: () => hex(head),
    eth_getBlockByNumber: ([tag]) => header(tag!),
    eth_getLogs: ([filter]) => {
      const { address, fromBlock, toBlock }: Filter = filter!;
      return chain.logs([address].flat(), Number(fromBlock), Math.min(head, Number(toBlock))).map(logOf);
    },
    eth_call: (params) => call(...(params as unknown as Parameters<typeof call>)),
    eth_getCode: ([address]) => (chain.isContract(address!) ? "0x00" : "0x"),
  };

  function answer({ id, method, params }: Call) {
    asked[method] = (asked[method] ?? 0) + 1;
    const known = methods[method];
    if (!known) return { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } };
    try {
      return { jsonrpc: "2.0", id, result: known(params) };
    } catch (error) {
      if (!(error instanceof Reverted)) throw error;
      return { jsonrpc: "2.0", id, error: { code: 3, message: error.message } };
    }
  }

  const server = createServer(async (request, response) => {
    const body: Call | Call[] = JSON.parse(await text(request));
    const answers = Array.isArray(body) ? body.map(answer) : answer(body);
    if (delay > 0) await setTimeout(delay);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answers));
  }).listen(0, "127.0.0.1", () => console.log([(server.address() as AddressInfo).port, ...facts].join(" ")));

  createInterface({ input: process.stdin })
    .on("line", (line) => {
      [head = 0, delay = 0] = line.split(" ").map(Number);
      console.log(JSON.stringify(asked));
      asked = {};
    })
    .on("close", () => process.exit());
}
