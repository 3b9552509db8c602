import { expect, it } from "vitest";
import { addDays, depositedShare, inflowByDay } from "../../../builder/engine/deposits/inflow.ts";
import type { Transfer } from "../../reference/reference.ts";
import { toEngineInput } from "../engine-input.ts";

const address = (digits: string) => `0x${digits.repeat(20)}`;
const [ZERO, ALICE, DEPOSIT, HOT] = ["00", "a1", "d0", "e1"].map(address) as [string, string, string, string];
const DAY = 86_400;
const START = Date.UTC(2024, 0, 1) / 1000;

it("counts what comes from outside all exchanges, mints included, by day", () => {
  const rows: [seconds: number, from: string, to: string, value: bigint][] = [
    [0, ZERO, ALICE, 2n ** 200n],
    [10, ALICE, DEPOSIT, 2n ** 199n],
    // Within the exchange.
    [20, DEPOSIT, HOT, 2n ** 199n],
    [30, ALICE, HOT, 3n],
    [2 * DAY, HOT, ALICE, 4n],
    [3 * DAY, ZERO, HOT, 6n],
    [4 * DAY - 1, ALICE, DEPOSIT, 2n],
  ];
  const transfers = rows.map(([seconds, from, to, value], logIndex): Transfer => {
    return { block: seconds, logIndex, timestamp: START + seconds, from, to, value };
  });
  const token = { decimals: 18, maxSupply: "1", asOf: Number.POSITIVE_INFINITY, prices: [], contracts: [], transfers };
  const { history, groups } = toEngineInput({ ...token, exchanges: { [HOT]: "ftx" }, deposits: { [DEPOSIT]: "ftx" } });
  const days = inflowByDay(history, groups);
  expect(days).toEqual([
    { day: START, all: 2n ** 199n + 3n, deposited: 2n ** 199n },
    { day: START + 3 * DAY, all: 8n, deposited: 2n },
  ]);
  expect(depositedShare(days.slice(1))).toBe(0.25);
  expect(depositedShare([{ day: 0, all: 3n, deposited: 2n }])).toBe(0.666667);
  expect(depositedShare([])).toBeUndefined();
  expect(addDays([...days, { ...days[1]!, deposited: 0n }])).toEqual([
    days[0],
    { day: START + 3 * DAY, all: 16n, deposited: 2n },
  ]);
});
