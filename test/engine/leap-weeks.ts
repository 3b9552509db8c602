/** A token whose weeks and months are worked by hand. */

import { type Token, type Transfer, ZERO_ADDRESS } from "../reference/reference.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
export const ALICE = address("a");
export const BOB = address("b");
const CAROL = address("c");

/** Unix seconds of `2024-02-21` or `2024-02-21T12:00`. */
export const at = (text: string) => Date.parse(`${text.padEnd(16, "T00:00").slice(0, 16)}Z`) / 1000;

export function tokenOf(asOf: string, prices: [string, number][], moves: [string, string, string, bigint][]): Token {
  const transfers = moves.map(
    ([time, from, to, value], i): Transfer => ({ block: i + 1, logIndex: 0, timestamp: at(time), from, to, value }),
  );
  return {
    decimals: 0,
    maxSupply: "1000",
    asOf: at(asOf),
    transfers,
    exchanges: {},
    contracts: [],
    prices: prices.map(([time, usd]) => [at(time), usd]),
  };
}

/**
 * Three weeks and a bit around a leap day. 2024-02-19, -26, 2024-03-04 and -11 are Mondays.
 *
 * | event            | x   | P | sender's a                           | x·P | x·a |
 * |------------------|-----|---|--------------------------------------|-----|-----|
 * | 21 Feb mint      | 100 | 1 |                                      |     |     |
 * | 22 Feb Alice→Bob | 10  | 2 | 1, in profit                         | 20  | 10  |
 * | 29 Feb Alice→Bob | 20  | 5 | 1, in profit                         | 100 | 20  |
 * | 2 Mar Bob→Carol  | 10  | 1 | 2 + (5 − 2) · 20 / 30 = 4, in loss   | 10  | 40  |
 * | 8 Mar Carol→Bob  | 5   | 3 | 1, in profit                         | 15  | 5   |
 * | 12 Mar Carol→Bob | 5   | 3 | 1, in profit                         | 15  | 5   |
 */
export const LEAP = tokenOf(
  "2024-03-13T12:00",
  [
    ["2024-02-21", 1],
    ["2024-02-22", 2],
    ["2024-02-29", 5],
    ["2024-03-01", 1],
    // At the very second at which a week ends: the price of the next one.
    ["2024-03-04", 3],
  ],
  [
    ["2024-02-21T12:00", ZERO_ADDRESS, ALICE, 100n],
    ["2024-02-22T12:00", ALICE, BOB, 10n],
    ["2024-02-29T12:00", ALICE, BOB, 20n],
    ["2024-03-02T12:00", BOB, CAROL, 10n],
    ["2024-03-08T12:00", CAROL, BOB, 5n],
    ["2024-03-12T12:00", CAROL, BOB, 5n],
  ],
);
