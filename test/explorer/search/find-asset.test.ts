import { expect, it } from "vitest";
import { findAssets } from "../../../explorer/src/search/find-asset.ts";

const ASSETS = [
  { symbol: "WARIA", name: "Wrapped Aria", contract: "0xAB12cd0000000000000000000000000000000001" },
  { symbol: "ARIA", name: "Aria", contract: "0x1111110000000000000000000000000000000002" },
  { symbol: "ARIADNE", name: "Thread", contract: "0x2222220000000000000000000000000000000003" },
  { symbol: "X", name: "Aria of the night", was: ["NIGHT"] },
];

it.each([
  ["", "WARIA ARIA ARIADNE X"],
  ["aria", "ARIA ARIADNE WARIA X"],
  [" Wrapped aria", "WARIA"],
  ["night", "X"],
  ["0xab12", "WARIA"],
  ["0x1", ""],
  ["0x1111110000000000000000000000000000000002", "ARIA"],
  ["zebra", ""],
])("%s finds %s, the best first", (text, expected) => {
  expect(
    findAssets(ASSETS, text)
      .map(({ symbol }) => symbol)
      .join(" "),
  ).toBe(expected);
});
