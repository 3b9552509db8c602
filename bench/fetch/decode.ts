/**
 * Decoding the answer of a node, on one core: `decode.ts ROUNDS`. Logs a second from the bytes of eth_getLogs to amounts
 * and addresses, in Soprano's way and in others'.
 *
 * viem and ponder are 61 MB to install, so what they do with a log is done here with ox, on which viem's codec is based:
 * viem's getLogs makes numbers of a log's fields and decodes its event, ponder keeps the log's texts and decodes its
 * event from them.
 */

import * as AbiEvent from "ox/AbiEvent";
import type { RawLog } from "../../builder/fetch/chain/logs/pages.ts";
import { decodeLogs } from "../../builder/fetch/transfers/decode-logs.ts";
import { medianFigures } from "../lib/rounds.ts";
import { CONTRACT, logsOfBlocks } from "./logs.ts";

export type DecodeFigures = Record<"soprano" | "parse" | "viem" | "ponder", number>;

const LOGS_PER_BLOCK = 40;
const BLOCKS = 500;
const bytes = Buffer.from(logsOfBlocks(1, BLOCKS, LOGS_PER_BLOCK), "latin1");
const transfer = AbiEvent.from("event Transfer(address indexed from, address indexed to, uint256 value)");

const parse = (): RawLog[] => JSON.parse(bytes.toString("latin1"));

function decodeEvent({ topics, data }: RawLog) {
  return AbiEvent.decode(transfer, { topics: topics as `0x${string}`[], data: data as `0x${string}` });
}

const WAYS: Record<keyof DecodeFigures, () => unknown> = {
  parse,
  soprano: () => decodeLogs(parse(), { contract: CONTRACT, events: "erc20" }),
  viem: () =>
    parse().map((log) => ({
      ...log,
      blockNumber: BigInt(log.blockNumber),
      logIndex: Number(log.logIndex),
      blockTimestamp: BigInt(log.blockTimestamp!),
      args: decodeEvent(log),
    })),
  ponder: () => parse().map((log) => ({ log, args: decodeEvent(log) })),
};

/** A second is one of a core, whatever else the machine does. */
function logsPerSecond(way: () => unknown): { rate: number } {
  const before = process.cpuUsage();
  way();
  const { user, system } = process.cpuUsage(before);
  return { rate: (LOGS_PER_BLOCK * BLOCKS * 1e6) / (user + system) };
}

const entries = Object.entries(WAYS).map(([name, way]) => [name, () => logsPerSecond(way)] as const);
for (const [, run] of entries) run();
const medians = await medianFigures(Number(process.argv[2]), Object.fromEntries(entries));
const figures = Object.fromEntries(Object.entries(medians).map(([name, { rate }]) => [name, rate]));
console.log(JSON.stringify(figures));
