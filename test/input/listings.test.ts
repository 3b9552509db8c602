import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { listingsOf } from "../../builder/input/listings.ts";
import { ALICE, BOB, CAROL, csv, Folder, HEADER } from "./folder.ts";

const upper = (address: string) => address.toUpperCase().replace("0X", "0x");

test("an address is looked for in every list of an asset", async () => {
  const folder = new Folder()
    .write("transfers.csv", csv(HEADER))
    .write("one.csv", csv("address,exchange", `${BOB},okx`))
    .write("two.csv", csv("exchange,address", `kraken,${CAROL}`, ` Binance ,${upper(ALICE)} `))
    .write("c.csv", csv("address", ALICE))
    .write("team.csv", csv("address,note", `${CAROL},x`, `${ALICE},y`));
  const path = folder.asset({ exchanges: ["one.csv", "two.csv"], contracts: "c.csv", cohorts: { team: "team.csv" } });
  const asset = await readAsset(path);
  expect(await listingsOf(asset, ALICE)).toEqual([
    { what: "exchange binance", file: "two.csv", row: 2 },
    { what: "contract", file: "c.csv", row: 1 },
    { what: "cohort @team", file: "team.csv", row: 2 },
  ]);
  expect(await listingsOf(asset, `0x${"99".repeat(20)}`)).toEqual([]);
});

test("of an asset that has not been fetched, only the user's own lists are looked at", async () => {
  const folder = new Folder().write("own.csv", csv("address,exchange", `${ALICE},zed`));
  const source = { chainId: 5, firstBlock: 10, events: "erc20" };
  const path = folder.asset({ transfers: undefined, source, exchanges: "own.csv" });
  mkdirSync(join(folder.path, "inputs/TST"), { recursive: true });
  const asset = await readAsset(path);
  expect(await listingsOf(asset, ALICE)).toEqual([{ what: "exchange zed", file: "own.csv", row: 1 }]);
});

test("a list that is missing is named", async () => {
  const path = new Folder().write("transfers.csv", csv(HEADER)).asset({ exchanges: "gone.csv" });
  await expect(readAsset(path).then((asset) => listingsOf(asset, ALICE))).rejects.toThrow(/^gone\.csv \(exchanges\)/);
});
