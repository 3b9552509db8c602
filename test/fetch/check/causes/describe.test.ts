import { expect, it } from "vitest";
import type { DifferenceCause } from "../../../../builder/fetch/check/causes/cause.ts";
import { type Findings, problemsOf, rangeText } from "../../../../builder/fetch/check/causes/describe.ts";
import type { BalanceDifference } from "../../../../builder/fetch/check/causes/first-difference.ts";
import { address } from "../transfers.ts";

const SAME: Findings = {
  block: 900,
  compared: 12_345,
  hosts: ["one:8545", "two:8545"],
  differences: [],
  overdraft: undefined,
  supply: { chain: 5n },
  cause: undefined,
};
const difference = (number: number): BalanceDifference => ({
  address: address(number),
  replayed: 1n,
  chain: 2n,
  moves: 1,
});

it("says nothing if nothing differs", () => {
  expect(problemsOf(SAME)).toEqual([]);
});

it("names ten addresses with both values, and counts the others", () => {
  const differences = Array.from({ length: 12 }, (_, i) => difference(12 - i));
  const cause: DifferenceCause = { kind: "unknown" };
  const problems = problemsOf({ ...SAME, differences, cause, hosts: ["one:8545"] });
  expect(problems[0]).toContain("one:8545 has left out logs");
  expect(problems[1]).toBe("12 balances of 12,345 compared at block 900 differ:");
  expect(problems.slice(2, 12)).toEqual(
    Array.from({ length: 10 }, (_, i) => `${address(i + 1)}: 1 by its transfers, 2 on the chain.`),
  );
  expect(problems.slice(12)).toEqual(["… and 2 more addresses."]);
});

it("names an overdraft, a supply and a balanceOf that fails", () => {
  const overdraft = { address: address(7), block: 5, logIndex: 3, balance: 1n, value: 9n };
  const supply = { chain: 5n, problem: "The supply is 4 by the transfers, but totalSupply is 5." };
  const differences = [{ ...difference(1), chain: undefined }];
  const cause: DifferenceCause = { kind: "unknown" };
  expect(problemsOf({ ...SAME, overdraft, supply, differences, cause }).slice(1)).toEqual([
    "1 balance of 12,345 compared at block 900 differs:",
    `${address(1)}: 1 by its transfers, but balanceOf fails on the chain.`,
    `In block 5, log 3, ${address(7)} sends 9 but has only 1 by its transfers: transfers to it are missing before.`,
    supply.problem,
  ]);
});

it("says which node was wrong about which blocks", () => {
  const range = { from: 5, to: 5, missing: 1, extra: 0, wrongHosts: ["one:8545"], nodes: [1] };
  expect(rangeText(range)).toBe("Block 5: one:8545 left out 1 transfer.");
  expect(rangeText({ ...range, to: 9, missing: 2, extra: 1, wrongHosts: ["one:8545", "two:8545"] })).toBe(
    "Blocks 5 to 9: one:8545, two:8545 left out 2 transfers and sent 1 transfer that the chain does not have.",
  );
  expect(rangeText({ ...range, missing: 0, extra: 2, wrongHosts: [] })).toBe(
    "Block 5: the node that was asked first sent 2 transfers that the chain does not have.",
  );
});

it("shows what an address lacks as a negative number", () => {
  const differences = [{ ...difference(1), replayed: 2n ** 256n - 7n }];
  const problems = problemsOf({ ...SAME, differences, cause: { kind: "unknown" } });
  expect(problems).toContain(`${address(1)}: -7 by its transfers, 2 on the chain.`);
});
