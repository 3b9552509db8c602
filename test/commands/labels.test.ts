/** `soprano labels check` from the command line. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratchFolder } from "../folders.ts";
import { soprano } from "./soprano.ts";

const BINANCE = "0x28C6c06298d514Db089934071355E5743bf21d60";
const NOBODY = `0x${"12".repeat(20)}`;
const check = (...args: string[]) => soprano("labels", "check", ...args);

it("says whose an address is", async () => {
  expect(await check(BINANCE)).toEqual({
    status: 0,
    stdout: "ethereum: exchange binance, “Binance 14” (etherscan-labels, 2023-10-02; spellbook, 2023-05-30)\n",
    stderr: "",
  });
});

it("says that nothing is known, and where it has looked", async () => {
  expect(await check(NOBODY)).toMatchObject({
    status: 0,
    stdout: `No list that ships with Soprano names ${NOBODY} on ethereum, optimism, bsc, polygon, fantom, base, arbitrum, avalanche.\n`,
  });
  expect((await check(BINANCE, "--chain", "8453")).stdout).toBe(
    `No list that ships with Soprano names ${BINANCE.toLowerCase()} on base.\n`,
  );
});

it("looks in an asset's own lists", async () => {
  const folder = scratchFolder();
  const keys = { symbol: "OWN", name: "Own", chain: "ethereum", decimals: 0, maxSupply: "9", transfers: "t.csv" };
  writeFileSync(join(folder, "own.csv"), `address,exchange\n${BINANCE},okx\n`);
  writeFileSync(
    join(folder, "asset.json"),
    JSON.stringify({ ...keys, contract: `0x${"70".repeat(20)}`, exchanges: "own.csv" }),
  );
  const asset = join(folder, "asset.json");
  expect((await check(BINANCE, asset, "--chain", "base")).stdout).toBe(
    `OWN: exchange okx (own.csv, row 1)\nNo list that ships with Soprano names ${BINANCE.toLowerCase()} on base.\n`,
  );
  expect((await check(NOBODY, asset)).stdout).toMatch(/\nNo list of OWN names it\.\n$/);
});

it.each([
  [["0x12"], 2, "It is not an address, which is 0x and 40 hexadecimal digits."],
  [[BINANCE, "--chain", "gnosis"], 1, "No labels ship for the chain “gnosis”. There are some for ethereum (1), "],
  [[BINANCE, "gone.json"], 1, "gone.json does not exist."],
])("refuses %j", async (args, status, message) => {
  expect(await check(...args)).toMatchObject({ status, stdout: "", stderr: expect.stringContaining(message) });
});
