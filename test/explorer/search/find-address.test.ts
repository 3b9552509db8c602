/** Addresses in what people paste. */

import { expect, it } from "vitest";
import { addressIn, shortAddress } from "../../../explorer/src/search/find-address.ts";

const ADDRESS = "0xab5801a7d398351b8be11c439e05c5b3259aec9b";

it.each([
  [ADDRESS, ADDRESS],
  ["  0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B\n", ADDRESS],
  [`https://etherscan.io/address/${ADDRESS}#tokentxns`, ADDRESS],
  [`/holders/${ADDRESS}`, ADDRESS],
  // A hash of a transaction, a digit too few, no prefix, words.
  [`${ADDRESS}${"0".repeat(24)}`, null],
  [ADDRESS.slice(0, -1), null],
  [ADDRESS.slice(2), null],
  ["sopr", null],
  ["", null],
])("%j", (text, address) => {
  expect(addressIn(text)).toBe(address);
});

it("is short in titles", () => {
  expect(shortAddress(ADDRESS)).toBe("0xab5801…ec9b");
});
