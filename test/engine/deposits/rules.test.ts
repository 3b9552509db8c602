/** The rules of deposit addresses, by hand: each of them on both sides. */

import { expect, it } from "vitest";
import { CONTRACT, FIRST_EXCHANGE, OTHER_EXCHANGES } from "../../../builder/engine/classification.ts";
import { DepositRules } from "../../../builder/engine/deposits/rules.ts";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry/exchanges.ts";
import type { Transfer } from "../../reference/reference.ts";
import { toEngineInput } from "../engine-input.ts";

const address = (digits: string) => `0x${digits.repeat(20)}`;
const [ZERO, ALICE, BOB, DEPOSIT] = ["00", "a1", "b0", "d0"].map(address) as [string, string, string, string];
const [HOT, SECOND_HOT, KRAKEN, POOL] = ["e1", "e2", "e3", "c0"].map(address) as [string, string, string, string];
const [OTHER, SECOND_OTHER] = ["f1", "f2"].map(address) as [string, string];
const EXCHANGES = {
  [HOT]: "binance",
  [SECOND_HOT]: "binance",
  [KRAKEN]: "kraken",
  [OTHER]: "other",
  [SECOND_OTHER]: "unheard-of",
};

const DAY = 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;

/** Events at seconds after the start, in the order of the list: those of one second are in one block. */
type Row = [seconds: number, from: string, to: string, value: number | bigint];

/** The deposit addresses of some events, as `address: exchange, sends, raw units, since`. */
function found(...rows: Row[]) {
  const transfers = rows.map(
    ([seconds, from, to, value], logIndex): Transfer => ({
      block: 100 + seconds,
      logIndex,
      timestamp: START + seconds,
      from,
      to,
      value: BigInt(value),
    }),
  );
  const token = { decimals: 18, maxSupply: "1", asOf: Number.POSITIVE_INFINITY, prices: [], contracts: [POOL, KRAKEN] };
  const { history, groups } = toEngineInput({ ...token, exchanges: EXCHANGES, transfers });
  const ids = [...groups.keys()];
  const judged = Uint32Array.from(ids, (id) => (id > 0 && groups[id]! < FIRST_EXCHANGE ? id : 0));
  const others = Uint32Array.from(ids, (id) => (groups[id] === OTHER_EXCHANGES ? id : 0));
  const rules = new DepositRules();
  rules.add({ history, groups, judged, others }, ids.length);
  const textOf = (id: number) => `0x${Buffer.from(history.addresses.subarray(20 * id, 20 * id + 20)).toString("hex")}`;
  return Array.from(rules.found(), ({ number, group, since, sends, sent }) => ({
    address: textOf(number),
    exchange: EXCHANGE_SELECTORS[group - FIRST_EXCHANGE + 1],
    since: since - START,
    sends,
    sent,
  }));
}

const IN: Row = [0, ALICE, DEPOSIT, 1_000_000];
const OUT: Row = [60, DEPOSIT, HOT, 1_000_000];
const one = { address: DEPOSIT, exchange: "binance", since: 0, sends: 1, sent: 1_000_000n };

it("is an address that passes on what it gets", () => {
  expect(found(IN, OUT)).toEqual([one]);
  // Every exchange that is swept to by one address may have several wallets.
  expect(found(IN, OUT, [70, BOB, DEPOSIT, 5], [80, DEPOSIT, SECOND_HOT, 5])).toEqual([
    { ...one, sends: 2, sent: 1_000_005n },
  ]);
  // A forwarder: an address that is a contract itself.
  expect(found([0, ALICE, POOL, 9], [5, POOL, HOT, 9])).toEqual([{ ...one, address: POOL, sent: 9n }]);
});

it("1: is not the exchange itself", () => {
  expect(found([0, ALICE, SECOND_HOT, 9], [5, SECOND_HOT, HOT, 9])).toEqual([]);
});

it("2: has sent, to one exchange alone", () => {
  expect(found(IN)).toEqual([]);
  expect(found(IN, [60, DEPOSIT, BOB, 1_000_000])).toEqual([]);
  expect(found(IN, OUT, [70, BOB, DEPOSIT, 5], [80, DEPOSIT, KRAKEN, 5])).toEqual([]);
  expect(found(IN, OUT, [70, BOB, DEPOSIT, 5], [80, DEPOSIT, BOB, 5])).toEqual([]);
  expect(found(IN, [60, DEPOSIT, ZERO, 1_000_000])).toEqual([]);
  expect(found(IN, OUT, [70, BOB, DEPOSIT, 5], [80, DEPOSIT, ZERO, 5])).toEqual([]);
});

it("2: of exchanges without a name, sends to one address", () => {
  const first: Row[] = [IN, [60, DEPOSIT, OTHER, 1_000_000], [70, BOB, DEPOSIT, 5]];
  expect(found(...first, [80, DEPOSIT, OTHER, 5])).toEqual([{ ...one, exchange: "other", sends: 2, sent: 1_000_005n }]);
  expect(found(...first, [80, DEPOSIT, SECOND_OTHER, 5])).toEqual([]);
});

it("3: keeps at most a thousandth of what it has just sent", () => {
  expect(found([0, ALICE, DEPOSIT, 1001], [60, DEPOSIT, HOT, 1000])).toEqual([{ ...one, sent: 1000n }]);
  expect(found([0, ALICE, DEPOSIT, 1002], [60, DEPOSIT, HOT, 1001])).toEqual([{ ...one, sent: 1001n }]);
  expect(found([0, ALICE, DEPOSIT, 1001], [60, DEPOSIT, HOT, 999])).toEqual([]);
  const large = 2n ** 250n;
  expect(found([0, ALICE, DEPOSIT, 1001n * large], [60, DEPOSIT, HOT, 1000n * large])).toHaveLength(1);
  expect(found([0, ALICE, DEPOSIT, 1001n * large], [60, DEPOSIT, HOT, 1000n * large - 1n])).toEqual([]);
  // After each send: what comes between two sends counts for the second.
  const drip: Row[] = [
    [0, ALICE, DEPOSIT, 1000],
    [60, DEPOSIT, HOT, 999],
    [70, BOB, DEPOSIT, 1],
  ];
  expect(found(...drip.slice(0, 2))).toEqual([]);
});

it("4: sends within 86,400 seconds of the last receipt", () => {
  expect(found(IN, [DAY, DEPOSIT, HOT, 1_000_000])).toEqual([one]);
  expect(found(IN, [DAY + 1, DEPOSIT, HOT, 1_000_000])).toEqual([]);
  // The last receipt counts, whatever it is.
  expect(found(IN, [DAY, BOB, DEPOSIT, 1], [DAY + 1, DEPOSIT, HOT, 1_000_001])).toHaveLength(1);
  // Receipts after a send don't count for it.
  expect(found(IN, OUT, [70, BOB, DEPOSIT, 5], [80, DEPOSIT, HOT, 5], [90, BOB, DEPOSIT, 5])).toHaveLength(1);
});

it("4: goes by the order of logs within a block", () => {
  expect(found([60, ALICE, DEPOSIT, 5], [60, DEPOSIT, HOT, 5])).toHaveLength(1);
  const late: Row[] = [IN, [2 * DAY, BOB, DEPOSIT, 1], [2 * DAY, DEPOSIT, HOT, 1_000_001]];
  expect(found(...late)).toHaveLength(1);
  expect(found(IN, [2 * DAY, DEPOSIT, HOT, 1_000_000], [2 * DAY, BOB, DEPOSIT, 1])).toEqual([]);
});

it("5: receives no mint, nothing from its exchange and nothing from a contract", () => {
  expect(found([0, ZERO, DEPOSIT, 5], [60, DEPOSIT, HOT, 5])).toEqual([]);
  expect(found([0, POOL, DEPOSIT, 5], [60, DEPOSIT, HOT, 5])).toEqual([]);
  expect(found([0, SECOND_HOT, DEPOSIT, 5], [60, DEPOSIT, HOT, 5])).toEqual([]);
  // From another exchange it may: a withdrawal straight into a deposit address. Kraken's is a contract, too.
  expect(found([0, KRAKEN, DEPOSIT, 5], [60, DEPOSIT, HOT, 5])).toHaveLength(1);
  expect(found(IN, OUT, [70, HOT, DEPOSIT, 5])).toEqual([]);
  expect(found(IN, OUT, [70, KRAKEN, DEPOSIT, 5])).toHaveLength(1);
  // Any address of `other` may be one of the same exchange.
  expect(found([0, SECOND_OTHER, DEPOSIT, 5], [60, DEPOSIT, OTHER, 5])).toEqual([]);
  expect(found([0, SECOND_OTHER, DEPOSIT, 5], [60, DEPOSIT, HOT, 5])).toHaveLength(1);
});

it("is not moved by events that count nowhere", () => {
  expect(found(IN, OUT, [70, DEPOSIT, BOB, 0], [80, DEPOSIT, DEPOSIT, 0], [90, ZERO, DEPOSIT, 0])).toEqual([one]);
  expect(found([0, BOB, DEPOSIT, 0], [5, ALICE, DEPOSIT, 5], [60, DEPOSIT, DEPOSIT, 5], [70, DEPOSIT, HOT, 5])).toEqual(
    [{ ...one, since: 5, sent: 5n }],
  );
});

it("begins with its first event, and judges each address by itself", () => {
  expect(found([3, ALICE, DEPOSIT, 7], [4, ALICE, BOB, 1], [9, DEPOSIT, HOT, 7], [10, BOB, HOT, 1])).toEqual([
    { ...one, address: DEPOSIT, since: 3, sent: 7n },
    // Somebody who was paid once and sold everything looks the same.
    { ...one, address: BOB, since: 4, sent: 1n },
  ]);
});

it("knows groups for all exchanges", () => {
  expect(CONTRACT).toBeLessThan(FIRST_EXCHANGE);
  expect(FIRST_EXCHANGE + EXCHANGE_SELECTORS.length).toBeLessThan(64);
});
