import { expect, it } from "vitest";
import { compareSupply } from "../../../../builder/fetch/check/causes/supply.ts";

it.each([
  ["equal", "erc20", { chain: 100n, replayed: 100n, zeroBalance: 0n }, {}],
  [
    "burnt by sending to the zero address, where totalSupply still counts it",
    "erc20",
    { chain: 100n, replayed: 90n, zeroBalance: 10n },
    { notice: "totalSupply counts 10 units at the zero address; the supply by transfers does not." },
  ],
  [
    "at the zero address, but not as much",
    "erc20",
    { chain: 100n, replayed: 90n, zeroBalance: 9n },
    { burnt: 9n, problem: "The supply is 90 by the transfers, but totalSupply is 100." },
  ],
  [
    "ether that was forced into WETH9",
    "weth9",
    { chain: 103n, replayed: 100n, zeroBalance: 0n },
    { notice: "totalSupply is 3 units more than the tokens: ether without a deposit." },
  ],
  [
    "less ether than tokens",
    "weth9",
    { chain: 99n, replayed: 100n, zeroBalance: 0n },
    { problem: "The supply is 100 by the transfers, but totalSupply is 99." },
  ],
  [
    "more than the transfers",
    "erc20",
    { chain: 103n, replayed: 100n, zeroBalance: undefined },
    { problem: "The supply is 100 by the transfers, but totalSupply is 103." },
  ],
] as const)("%s", (_, events, amounts, expected) => {
  expect(compareSupply(events, amounts)).toEqual({ chain: amounts.chain, ...expected });
});

it("a totalSupply that fails", () => {
  const amounts = { chain: undefined, replayed: 1n, zeroBalance: 0n };
  expect(compareSupply("erc20", amounts)).toMatchObject({
    chain: 0n,
    problem: "The contract's totalSupply can't be read.",
  });
});
