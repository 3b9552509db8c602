/** A node over made-up logs that fails at random, in the ways that providers and networks do. */

import type { ServerResponse } from "node:http";
import type { Random } from "../../../builder/demo/simulate/random.ts";
import { word } from "./fake-chain.ts";
import { type ServedCall, send, startServer } from "./rpc-server.ts";

export interface MadeUpLog {
  block: number;
  logIndex: number;
}

export const CONTRACT = `0x${"c0".repeat(20)}`;
export const TOPIC = `0x${"7".repeat(64)}`;

const hex = (number: number) => `0x${number.toString(16)}`;

export const asRawLog = ({ block, logIndex }: MadeUpLog) => ({
  address: CONTRACT,
  topics: [TOPIC, `0x${word(block)}`, `0x${word(logIndex)}`],
  data: `0x${word(block * 1000 + logIndex)}`,
  blockNumber: hex(block),
  blockHash: `0x${word(block + 1)}`,
  logIndex: hex(logIndex),
  blockTimestamp: hex(block * 12),
  removed: false,
});

export interface FaultyNodeOptions {
  head: number;
  logs: readonly MadeUpLog[];
  random: Random;
  /** Blocks and logs that a request may have. */
  maxBlocks: number;
  maxLogs: number;
  /** What a refusal says of the range. */
  refusal: string;
  /** Share of requests that fail otherwise. */
  faults: number;
  prunedBefore: number;
}

type Fault = (response: ServerResponse, call: ServedCall, good: () => unknown) => void;

const answer = (response: ServerResponse, call: ServedCall, rest: object) =>
  send(response, 200, JSON.stringify({ jsonrpc: "2.0", id: call.id, ...rest }));

/** Logs of an answer, if it is one of logs. */
const logsOf = (good: () => unknown) => {
  const result = good();
  return Array.isArray(result) ? result : [];
};
const withLogs = (change: (logs: ReturnType<typeof asRawLog>[]) => unknown[]): Fault => {
  return (response, call, good) => {
    if (call.method === "eth_getLogs") answer(response, call, { result: change(logsOf(good)) });
    else answer(response, call, { result: good() });
  };
};

/** Each can be noticed: what can't, such as a log left out, is for the check of balances. */
export const FAULTS: Record<string, Fault> = {
  "429 without a time": (response) => send(response, 429, "slow down"),
  "429 with seconds": (response) => send(response, 429, "", { "retry-after": "0.01" }),
  "429 with a date": (response) => send(response, 429, "{}", { "retry-after": new Date(Date.now() + 5).toUTCString() }),
  "a rate limit in the answer": (response, call) =>
    answer(response, call, { error: { code: -32005, message: "project ID request rate exceeded" } }),
  "compute units": (response, call) =>
    answer(response, call, {
      error: { code: 429, message: "Your app has exceeded its compute units per second capacity" },
    }),
  "a web page": (response) => send(response, 200, "<!DOCTYPE html><h1>Just a moment...</h1>"),
  "502 with a web page": (response) => send(response, 502, "<html>Bad Gateway</html>"),
  "504": (response) => send(response, 504, "upstream request timeout"),
  "413": (response) => send(response, 413, "Request Entity Too Large"),
  "a dropped socket": (response) => void response.destroy(),
  "half an answer": (response, call, good) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: call.id, result: good() });
    response
      .writeHead(200, { "content-length": text.length })
      .write(text.slice(0, text.length / 2), () => response.destroy());
  },
  "JSON cut short": (response, call, good) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: call.id, result: good() });
    send(response, 200, text.slice(0, -1 - (text.length >> 2)));
  },
  "nothing at all": (response) => send(response, 200, ""),
  "an answer to another request": (response, call, good) =>
    answer(response, { ...call, id: call.id + 1 }, { result: good() }),
  null: (response, call) => answer(response, call, { result: null }),
  "an internal error": (response, call) =>
    answer(response, call, { error: { code: -32603, message: "internal error" } }),
  "a time-out": (response, call) =>
    answer(response, call, { error: { code: -32000, message: "query timeout exceeded" } }),
  "a node behind": (response, call) => answer(response, call, { error: { code: -32000, message: "header not found" } }),
  "logs of another contract": withLogs((logs) => [
    { ...(logs[0] ?? asRawLog({ block: 1, logIndex: 0 })), address: TOPIC.slice(0, 42) },
    ...logs,
  ]),
  "a log of another block": withLogs((logs) => [...logs, asRawLog({ block: 4_000_000, logIndex: 0 })]),
  "a log of another event": withLogs((logs) =>
    logs.concat(
      logs.slice(0, 1).map((log) => ({ ...log, topics: [`0x${word(1)}`] })),
      [{ ...asRawLog({ block: 0, logIndex: 99_999 }), topics: [] }],
    ),
  ),
  "a log that was removed": withLogs((logs) => [
    ...logs,
    { ...asRawLog({ block: 0, logIndex: 99_999 }), removed: true },
  ]),
  "a log without its block": withLogs((logs) => [
    ...logs,
    { ...asRawLog({ block: 0, logIndex: 99_999 }), blockNumber: null },
  ]),
  "two hashes of one block": withLogs((logs) => [
    asRawLog({ block: 0, logIndex: 99_998 }),
    { ...asRawLog({ block: 0, logIndex: 99_999 }), blockHash: `0x${word(9)}` },
    ...logs,
  ]),
  "repeated and unsorted logs": withLogs((logs) => [...logs.toReversed(), ...logs]),
  "odd capitals": withLogs((logs) =>
    logs.map((log) => ({ ...log, address: `0x${log.address.slice(2).toUpperCase()}` })),
  ),
};

/** @returns the URL, and the ranges that were asked for */
export async function startFaultyNode(options: FaultyNodeOptions) {
  const { head, logs, random, maxBlocks, maxLogs, refusal, faults, prunedBefore } = options;
  const asked = { ranges: [] as { from: number; to: number }[], refused: 0 };
  const kinds = Object.values(FAULTS);
  const below = (limit: number) => Math.floor((random.uint32() / 2 ** 32) * limit);

  const respond = ({ method, params }: ServedCall): { result: unknown } | { error: unknown } => {
    if (method === "eth_chainId") return { result: "0x1" };
    if (method === "eth_blockNumber") return { result: hex(head) };
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    asked.ranges.push({ from, to });
    const found = logs.filter(({ block }) => block >= from && block <= to && block <= head);
    if (from < prunedBefore) return { error: { code: 4444, message: "pruned history unavailable" } };
    // A block that has more logs than the limit is always answered.
    if (to - from + 1 > maxBlocks || (found.length > maxLogs && from < to)) {
      asked.refused++;
      return { error: { code: -32000, message: refusal } };
    }
    return { result: found.map(asRawLog) };
  };

  const url = await startServer(respond, (body, response) => {
    if (Array.isArray(body) || body.method === "eth_chainId" || random.uint32() / 2 ** 32 >= faults) return false;
    const said = respond(body);
    if ("error" in said) return false;
    kinds[below(kinds.length)]!(response, body, () => said.result);
    return true;
  });
  return { url, asked };
}
