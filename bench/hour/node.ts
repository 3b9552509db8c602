/**
 * A node whose chain has a simulated token: `node.ts FOLDER`. Prints its port, the first block, and the time of block 0, and
 * ends with its standard input. A line there sets the last block, which is final; it answers with the calls since the line
 * before.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { DuckDBInstance } from "@duckdb/node-api";
import { BALANCE_SCANNER, CODE_SCANNER, SCANNER_ADDRESS } from "../../builder/fetch/chain/scan/scanner.ts";
import { SELECTORS } from "../../builder/fetch/chain/selectors.ts";

const [folder = "."] = process.argv.slice(2);
const BLOCK_SECONDS = 12;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const ZERO = `0x${"0".repeat(40)}`;

interface Log {
  block: number;
  logIndex: number;
  from: string;
  to: string;
  value: bigint;
}

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const files = join(folder, "transfers-*.parquet").replaceAll("'", "''");
const rows = await connection.stream(
  `SELECT block_number::INTEGER, log_index, from_address, to_address, value, token_address,
     epoch(block_timestamp)::BIGINT - ${BLOCK_SECONDS} * block_number FROM '${files}' ORDER BY block_number, log_index`,
);
const logs: Log[] = [];
/** Each address once: most come in many logs. */
const addresses = new Map<string, string>();
const one = (address: string) => {
  const known = addresses.get(address) ?? address;
  addresses.set(address, known);
  return known;
};
let [contract, genesis] = ["", 0];
for (;;) {
  const chunk = await rows.fetchChunk();
  if (!chunk || chunk.rowCount === 0) break;
  for (const [block, logIndex, from, to, value, token, zero] of chunk.getRows()) {
    [contract, genesis] = [String(token), Number(zero)];
    const parties = { from: one(String(from)), to: one(String(to)) };
    logs.push({ block: Number(block), logIndex: Number(logIndex), ...parties, value: BigInt(String(value)) });
  }
}

let head = logs.at(-1)!.block;
let asked = 0;
/** Balances after the first `applied` logs. */
const balances = new Map<string, bigint>();
let applied = 0;

/** The first log of a block or a later one. */
function logAt(block: number): number {
  let [low, high] = [0, logs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (logs[middle]!.block < block) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Brings `balances` to a block. */
function goTo(block: number): void {
  const end = logAt(block + 1);
  const move = ({ from, to, value }: Log, sign: bigint) => {
    balances.set(from, (balances.get(from) ?? 0n) - sign * value);
    balances.set(to, (balances.get(to) ?? 0n) + sign * value);
  };
  while (applied < end) move(logs[applied++]!, 1n);
  while (applied > end) move(logs[--applied]!, -1n);
}

const hex = (number: number) => `0x${number.toString(16)}`;
const word = (value: bigint) => value.toString(16).padStart(64, "0");
const hashOf = (block: number) => `0x${block.toString(16).padStart(64, "b")}`;
const timeOf = (block: number) => genesis + BLOCK_SECONDS * block;
const blockOf = (tag: string) => (/^0x/.test(tag) ? Number(tag) : head);

function header(tag: string) {
  const number = blockOf(tag);
  if (number > head) return null;
  return { number: hex(number), hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: hex(timeOf(number)) };
}

const logOf = ({ block, logIndex, from, to, value }: Log) => ({
  address: contract,
  topics: [TRANSFER, `0x${word(BigInt(from))}`, `0x${word(BigInt(to))}`],
  data: `0x${word(value)}`,
  blockNumber: hex(block),
  blockHash: hashOf(block),
  blockTimestamp: hex(timeOf(block)),
  logIndex: hex(logIndex),
  transactionHash: hashOf(block),
  transactionIndex: hex(logIndex),
  removed: false,
});

type Overrides = Record<string, { code: string }>;

function call({ data }: { data: string }, tag: string, overrides?: Overrides): string {
  const code = overrides?.[SCANNER_ADDRESS]?.code;
  goTo(blockOf(tag));
  if (code === CODE_SCANNER) return `0x${"00".repeat((data.length - 2) / 40)}`;
  if (code === BALANCE_SCANNER) {
    const holders = (data.slice(42).match(/.{40}/g) ?? []).map((address) => balances.get(`0x${address}`) ?? 0n);
    return `0x${holders.map((balance) => `01${word(balance)}`).join("")}`;
  }
  if (data === SELECTORS["totalSupply()"]) return `0x${word(-(balances.get(ZERO) ?? 0n))}`;
  if (data === SELECTORS["decimals()"]) return `0x${word(18n)}`;
  return "0x";
}

const METHODS: Record<string, (params: never[]) => unknown> = {
  eth_chainId: () => "0x1",
  eth_blockNumber: () => hex(head),
  eth_getBlockByNumber: ([tag]) => header(tag!),
  eth_getLogs: ([filter]) => {
    const { fromBlock, toBlock } = filter! as { fromBlock: string; toBlock: string };
    return logs.slice(logAt(Number(fromBlock)), logAt(Math.min(head, Number(toBlock)) + 1)).map(logOf);
  },
  eth_call: (params) => call(...(params as unknown as Parameters<typeof call>)),
  eth_getCode: () => "0x",
};

interface Call {
  id: number;
  method: string;
  params: never[];
}

function answer({ id, method, params }: Call) {
  asked++;
  const known = METHODS[method];
  const error = { code: -32601, message: "unknown method" };
  return { jsonrpc: "2.0", id, ...(known ? { result: known(params) } : { error }) };
}

const server = createServer(async (request, response) => {
  const body: Call | Call[] = JSON.parse(await text(request));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
}).listen(0, "127.0.0.1", () => {
  console.log(`${(server.address() as AddressInfo).port} ${logs[0]!.block} ${genesis} ${logs.at(-1)!.block}`);
});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    head = Number(line);
    console.log(asked);
    asked = 0;
  })
  .on("close", () => process.exit());
