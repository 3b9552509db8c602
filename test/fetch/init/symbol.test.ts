import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fitSymbol } from "../../../builder/fetch/chain/text.ts";
import { changedSymbol, checkSymbolIsFree } from "../../../builder/fetch/init/symbol.ts";
import { type Fetched, formatFetched } from "../../../builder/input/fetched/fetched.ts";
import { parseSymbol } from "../../../data-schema/asset.ts";
import { scratchFolder } from "../../folders.ts";

it.each([
  ["USD₮0", "USD0 without U+20AE"],
  // The last letter is Cyrillic.
  ["USDС", "USD without U+0421"],
  ["A\u200bB 🦊🦊", "AB without U+200B, U+0020, U+1F98A"],
  ["ＷＥＴＨ", "WETH"],
  ["bıt", "BIT"],
  ["S".repeat(21), "S".repeat(20)],
])("the symbol %j is told to become %s", (text, what) => {
  expect(parseSymbol(text)).toBeUndefined();
  expect(changedSymbol(text, fitSymbol(text)!)).toBe(
    `The contract's symbol "${text}" becomes ${what}: that may be another token's symbol. Choose one with --symbol.`,
  );
});

it("upper-case is not another symbol", () => {
  expect(parseSymbol("stETH-2.0")).toBe("STETH-2.0");
});

const CONTRACT = `0x${"70".repeat(20)}`;
const TOKEN = { chainId: 1, contract: CONTRACT };
const ASSET = { symbol: "USD0", name: "USD", chain: "ethereum", contract: CONTRACT, decimals: 18, maxSupply: "1" };

it("a symbol is free in a folder of other assets, or in none", async () => {
  const out = scratchFolder();
  writeFileSync(join(out, "USDT.json"), JSON.stringify({ ...ASSET, symbol: "USDT", transfers: "t.csv" }));
  writeFileSync(join(out, "odd.json"), "{");
  expect(await checkSymbolIsFree(out, "USD0", TOKEN)).toBeUndefined();
  expect(await checkSymbolIsFree(join(out, "none"), "USD0", TOKEN)).toBeUndefined();
});

it("a symbol that another file has is refused", async () => {
  const out = scratchFolder();
  writeFileSync(join(out, "usual.json"), JSON.stringify({ ...ASSET, transfers: "t.csv" }));
  await expect(checkSymbolIsFree(out, "USD0", TOKEN)).rejects.toThrow(
    `${join(out, "usual.json")} has the symbol USD0, too: choose another --symbol or --out.`,
  );
});

it("so are the inputs of another contract; those of the same are told", async () => {
  const out = scratchFolder();
  const folder = join(out, "inputs", "USD0");
  mkdirSync(folder, { recursive: true });
  const told = `${folder} exists: soprano fetch goes on from what it holds.`;
  expect(await checkSymbolIsFree(out, "USD0", TOKEN)).toBe(told);
  const asOf = "2026-11-22T00:00:00Z";
  const fetched: Fetched = { schema: 2, ...TOKEN, terms: { events: "erc20" }, asOf, files: [] };
  writeFileSync(join(folder, "fetch.json"), formatFetched(fetched));
  expect(await checkSymbolIsFree(out, "USD0", TOKEN)).toBe(told);
  for (const other of [{ contract: `0x${"71".repeat(20)}` }, { chainId: 10 }]) {
    await expect(checkSymbolIsFree(out, "USD0", { ...TOKEN, ...other })).rejects.toThrow(
      `${folder} has what was fetched of ${CONTRACT} on chain 1: choose another --symbol or --out.`,
    );
  }
});
