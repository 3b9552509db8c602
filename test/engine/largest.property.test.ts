/** The largest holders, of more holders than the kernel watches, against a sort of all. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { compareSeries } from "../reference/compare.ts";
import { reference, type SeriesByKey, type Token, type Transfer, ZERO_ADDRESS } from "../reference/reference.ts";
import { runEngine } from "./run-engine.ts";

const DAY = 86_400;
const START = 1_600_041_600;

const METRICS = ["supply_top_10", "supply_top_100", "supply_top_1000", "herfindahl"];
const concentration = (series: SeriesByKey) =>
  new Map([...series].filter(([key]) => METRICS.includes(key.split("|")[0]!)));

const addressOf = (number: number) => `0x${(number + 1).toString(16).padStart(40, "0")}`;

/** Numbers that look random, the same for a seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Thousands of holders, who come on the first days, and then move what they have: all of it, a part, or a whale's part. Many
 * may hold the same.
 */
function crowd(seed: number, holders: number, isEqual: boolean): Token {
  const next = numbers(seed);
  const transfers: Transfer[] = [];
  const balances = new Map<number, bigint>();
  let block = 0;
  const move = (day: number, from: number | null, to: number, value: bigint) => {
    if (from === to || value === 0n) return;
    const timestamp = START + day * DAY + Math.floor(next() * DAY);
    const sides = { from: from === null ? ZERO_ADDRESS : addressOf(from), to: addressOf(to) };
    transfers.push({ block: 0, logIndex: 0, timestamp, value, ...sides });
    if (from !== null) balances.set(from, balances.get(from)! - value);
    balances.set(to, (balances.get(to) ?? 0n) + value);
  };
  const amount = () => (isEqual ? 400n : BigInt(Math.floor(10 ** (1 + 12 * next() ** 3))));
  for (let holder = 0; holder < holders; holder++) move(Math.floor((3 * holder) / holders), null, holder, amount());
  transfers.sort((a, b) => a.timestamp - b.timestamp);
  for (let day = 3; day < 14; day++) {
    // On one day most of the largest leave, so that others are among them.
    const many = day === 8 ? holders / 2 : 60;
    const largest = [...balances].sort((a, b) => (a[1] < b[1] ? 1 : -1)).map(([holder]) => holder);
    const first = transfers.length;
    for (let i = 0; i < many; i++) {
      const from = day === 8 ? largest[i]! : Math.floor(next() * holders);
      const held = balances.get(from)!;
      const to = day === 8 ? largest[0]! : Math.floor(next() * holders);
      move(day, from, to, next() < 0.5 ? held : held / 2n);
    }
    // Within a day, in the order in which balances allow them.
    const times = transfers
      .slice(first)
      .map(({ timestamp }) => timestamp)
      .sort((a, b) => a - b);
    for (const [i, timestamp] of times.entries()) transfers[first + i]!.timestamp = timestamp;
  }
  for (const event of transfers) event.block = ++block;
  return {
    decimals: 3,
    maxSupply: "1000000000",
    asOf: START + 14 * DAY,
    transfers,
    prices: [[START, 1]],
    exchanges: Object.fromEntries([0, 1, 2].map((holder) => [addressOf(holder), "binance"])),
    contracts: [addressOf(3), addressOf(4)],
  };
}

it.each([
  ["different amounts", false],
  ["equal amounts", true],
])(
  "are those of all partitions together, whoever leaves and comes: of %s",
  (_, isEqual) => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 6_000, max: 8_000 }), (seed, holders) => {
        const token = crowd(seed, holders, isEqual);
        const expected = concentration(reference(token));
        for (const partitions of [1, 2]) {
          expect(compareSeries(concentration(runEngine(token, partitions).series), expected)).toEqual([]);
        }
      }),
      { numRuns: 1 },
    );
  },
  240_000,
);
