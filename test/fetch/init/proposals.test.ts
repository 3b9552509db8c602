import * as fc from "fast-check";
import * as Hash from "ox/Hash";
import * as Hex from "ox/Hex";
import { expect, it } from "vitest";
import { fitSymbol } from "../../../builder/fetch/chain/text.ts";
import { parseMaxSupply, wholeTokens } from "../../../builder/fetch/init/choices/questions.ts";
import { OWNERSHIP_TRANSFERRED } from "../../../builder/fetch/init/owners.ts";
import { MAX_SUPPLY_PATTERN, SYMBOL_PATTERN } from "../../../data-schema/asset.ts";
import { ANY_CHARACTER } from "../../data-schema/text/characters.ts";

const keccak = (text: string) => Hash.keccak256(Hex.fromString(text), { as: "Hex" });

it("computes the topic of OwnershipTransferred", () => {
  expect(keccak("OwnershipTransferred(address,address)")).toBe(OWNERSHIP_TRANSFERRED);
});

it.each([
  ["Hum", "HUM"],
  ["USD₮0", "USD0"],
  ["stETH 2.0", "STETH2.0"],
  ["ＷＥＴＨ", "WETH"],
  ["..", undefined],
  ["_", undefined],
  ["₮", undefined],
  ["", undefined],
])("the symbol %j is %j", (text, symbol) => expect(fitSymbol(text)).toBe(symbol));

it("every proposed symbol can be used", () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
      expect(fitSymbol(text) ?? "OK").toMatch(SYMBOL_PATTERN);
    }),
  );
});

it.each([
  [1_250_000_000n * 10n ** 18n, 18, "1250000000"],
  [10n ** 18n + 1n, 18, "2"],
  [10n ** 17n, 18, "0.1"],
  [1n, 18, "0.000000000000000001"],
  [7n, 0, "7"],
])("%i raw units with %i decimals are at most %s tokens", (raw, decimals, tokens) => {
  expect(wholeTokens(raw, decimals)).toBe(tokens);
});

it("every proposed supply is accepted, and not less than there is", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 77 }), (raw, decimals) => {
      const text = wholeTokens(raw, decimals);
      expect(text).toMatch(MAX_SUPPLY_PATTERN);
      expect(parseMaxSupply(text)).toBe(text);
      const [whole = "", fraction = ""] = text.split(".");
      expect(BigInt(whole + fraction.padEnd(decimals, "0")) >= raw).toBe(true);
    }),
  );
});
