/**
 * A node that answers at once: `node.ts DAYS LOGS`. Every block of a made-up chain has so many transfers; their texts are
 * prepared but for the block's number, hash and time. Prints its port, and ends with its standard input.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { CONTRACT, FETCH_BLOCK_SECONDS, GENESIS, preparedLogs } from "./logs.ts";

const [days = 1, logsPerBlock = 40] = process.argv.slice(2).map(Number);
const head = (days * 86_400) / FETCH_BLOCK_SECONDS;

/** Texts around the number, hash and time of a block. Sets of them take turns, so that addresses repeat as in life. */
const sets = Array.from({ length: 64 }, (_, set) => preparedLogs(logsPerBlock, set));

const hex = (number: number) => `0x${number.toString(16)}`;
const hashOf = (block: number) => `0x${block.toString(16).padStart(64, "b")}`;
const timeOf = (block: number) => GENESIS + FETCH_BLOCK_SECONDS * block;

function blockText(block: number): string {
  return `{"number":"${hex(block)}","hash":"${hashOf(block)}","parentHash":"${hashOf(block - 1)}","timestamp":"${hex(timeOf(block))}"}`;
}

function logsText(from: number, to: number): string {
  const pieces: string[] = [];
  for (let block = from; block <= Math.min(to, head); block++) {
    const [number, hash, time] = [hex(block), hashOf(block), hex(timeOf(block))];
    for (const [before, between, behind, end] of sets[block % sets.length]!) {
      pieces.push(before + number + between + hash + behind + time + end);
    }
  }
  return `[${pieces.join(",")}]`;
}

interface Call {
  id: number;
  method: string;
  params: [{ fromBlock: string; toBlock: string } & string];
}

const METHODS: Record<string, (params: Call["params"]) => string> = {
  eth_chainId: () => '"0x1"',
  eth_blockNumber: () => `"${hex(head)}"`,
  eth_getBlockByNumber: ([tag]) => blockText(/^0x/.test(tag) ? Number(tag) : head),
  eth_getLogs: ([{ fromBlock, toBlock }]) => logsText(Number(fromBlock), Number(toBlock)),
};

function answer({ id, method, params }: Call): string {
  const result = METHODS[method]?.(params);
  const body = result === undefined ? '"error":{"code":-32601,"message":"unknown method"}' : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${id},${body}}`;
}

const server = createServer(async (request, response) => {
  const call: Call | Call[] = JSON.parse(await text(request));
  // The body is ASCII alone, which is faster to send as Latin-1.
  const body = Buffer.from(Array.isArray(call) ? `[${call.map(answer).join(",")}]` : answer(call), "latin1");
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}).listen(0, "127.0.0.1", () => console.log(`${(server.address() as AddressInfo).port} ${CONTRACT}`));

process.stdin.on("end", () => process.exit()).resume();
