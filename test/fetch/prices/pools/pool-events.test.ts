import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import { describe, expect, test } from "vitest";
import { BadPage } from "../../../../builder/fetch/chain/logs/pages.ts";
import {
  formatEvents,
  type PoolChange,
  PRICE_EVENTS,
  parseEvents,
  readChange,
} from "../../../../builder/fetch/prices/pools/pool-events.ts";

const keccak = (text: string) => Hash.keccak256(Hex.fromString(text));
const word = (value: bigint) => BigInt.asUintN(256, value).toString(16).padStart(64, "0");
const topicOf = (name: string) => PRICE_EVENTS.find(({ signature }) => signature.startsWith(`${name}(`))!.topic;

const log = (topics: string[], ...words: bigint[]) => ({
  address: "0xAb",
  blockHash: "0x",
  blockNumber: "0x1",
  logIndex: "0x0",
  topics,
  data: `0x${words.map(word).join("")}`,
});

test.each(PRICE_EVENTS)("$signature has its topic", ({ signature, topic }) => {
  expect(topic).toBe(keccak(signature));
});

const indexed = (value: bigint) => `0x${word(value)}`;

describe("logs", () => {
  const cases: [string, ReturnType<typeof log>, PoolChange][] = [
    ["Sync", log([topicOf("Sync")], 7n, 9n), { kind: "reserves", reserve0: 7n, reserve1: 9n }],
    [
      "Initialize",
      log([topicOf("Initialize")], 2n ** 96n, -5n),
      { kind: "price", sqrtPriceX96: 2n ** 96n, liquidity: 0n, tick: -5, amount0: 0n, amount1: 0n },
    ],
    [
      "Swap",
      log([topicOf("Swap"), indexed(1n), indexed(2n)], -1n, 2n, 2n ** 97n, 44n, -887_272n),
      { kind: "price", sqrtPriceX96: 2n ** 97n, liquidity: 44n, tick: -887_272, amount0: -1n, amount1: 2n },
    ],
    [
      "Mint",
      log([topicOf("Mint"), indexed(1n), indexed(-60n), indexed(120n)], 3n, 55n, 1n, 2n),
      { kind: "liquidity", lower: -60, upper: 120, delta: 55n },
    ],
    [
      "Burn",
      log([topicOf("Burn"), indexed(1n), indexed(-60n), indexed(120n)], 55n, 1n, 2n),
      { kind: "liquidity", lower: -60, upper: 120, delta: -55n },
    ],
    [
      "AnswerUpdated",
      log([topicOf("AnswerUpdated"), indexed(-3n), indexed(1n)], 9n),
      { kind: "answer", answer: -3n, round: 1n, updated: 9 },
    ],
  ];

  test.each(cases)("%s", (_, raw, change) => {
    expect(readChange(raw)).toEqual(change);
    const event = { time: 1_700_000_000, block: 7, logIndex: 3, address: "0xab", change };
    expect([...parseEvents(formatEvents([event, event]))]).toEqual([event, event]);
  });

  test.each(cases)("%s of another shape is refused", (_, raw) => {
    expect(() => readChange({ ...raw, data: `${raw.data}${word(0n)}` })).toThrow(BadPage);
    expect(() => readChange({ ...raw, topics: [...raw.topics, indexed(0n)] })).toThrow(BadPage);
    expect(() => readChange({ ...raw, topics: [keccak("Other()")] })).toThrow(BadPage);
  });
});
