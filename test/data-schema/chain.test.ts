/** Pages of block explorers, and the pattern of addresses. */

import { expect, it } from "vitest";
import { ADDRESS_PATTERN, chainPage } from "../../data-schema/chain.ts";

it.each([
  ["ethereum", "address", "0x1", "https://etherscan.io/address/0x1"],
  ["Base", "tx", "0x2", "https://basescan.org/tx/0x2"],
  ["optimism", "block", 7, "https://optimistic.etherscan.io/block/7"],
  ["atlantis", "tx", "0x2", null],
] as const)("%s, %s %s", (chain, of, id, page) => {
  expect(chainPage(chain, of, id)).toBe(page);
});

it("takes addresses in any case, and nothing around them", () => {
  const digits = "aB".repeat(20);
  expect(ADDRESS_PATTERN.test(`0x${digits}`)).toBe(true);
  for (const text of [digits, `0x${digits}0`, ` 0x${digits}`, `0x${digits.slice(1)}`, `0x${digits.slice(1)}g`]) {
    expect(ADDRESS_PATTERN.test(text), text).toBe(false);
  }
});
