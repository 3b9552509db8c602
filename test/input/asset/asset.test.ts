import { readFileSync, writeFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { Folder } from "../folder.ts";

test("the keys that must be there are enough", async () => {
  const path = new Folder().asset({ contract: `0x${"Ab".repeat(20)}` });
  expect(await readAsset(path)).toEqual({
    path,
    symbol: "TST",
    name: "Test",
    chain: "ethereum",
    contract: `0x${"ab".repeat(20)}`,
    decimals: 18,
    maxSupply: "1000000",
    transfers: ["transfers.csv"],
    resolutions: ["day", "hour", "block"],
  });
});

test.each([
  [{ maxSupply: 21_000_000 }, { maxSupply: "21000000" }],
  [{ maxSupply: "0.5" }, { maxSupply: "0.5" }],
  [{ asOf: "2020-01-01T00:00:00Z" }, { asOf: 1_577_836_800 }],
  [{ asOf: 1_577_836_800 }, { asOf: 1_577_836_800 }],
  [{ asOf: "2020-01-01" }, { asOf: 1_577_836_800 }],
  [{ transfers: ["a/*.parquet", "b.csv"] }, { transfers: ["a/*.parquet", "b.csv"] }],
  [{ blocks: "blocks.parquet" }, { blocks: ["blocks.parquet"] }],
  [{ resolutions: ["hour", "day"] }, { resolutions: ["day", "hour"] }],
  [{ freshness: "hour" }, { freshness: "hour" }],
  [{ columns: { contract: "Contract Address" } }, { columns: { contract: "Contract Address" } }],
  [{ columns: { contract: null } }, { columns: { contract: null } }],
  [{ decimals: 0 }, { decimals: 0 }],
  [{ decimals: 77 }, { decimals: 77 }],
])("%j is accepted", async (keys, expected) => {
  expect(await readAsset(new Folder().asset(keys))).toMatchObject(expected);
});

const MAX_SUPPLY = '"maxSupply" must be a positive decimal number of whole tokens, for instance "21000000"';
const AS_OF = '"asOf" must be a time in Unix seconds or ISO 8601, for instance 2024-01-01T00:00:00Z';
const LOTS = '"lots" must list some of fifo, lifo, hifo, each at most once';
const RESOLUTIONS = '"resolutions" must list day, hour, block, each at most once, and include day';
const PATHS = "must be a path, a glob or a list of them";
const COHORTS =
  '"cohorts" must be an object of at most 32 lists: a path, or "shipped", by the name of its cohort, which has 1 to 32 of a–z, 0–9, “_”, “-”';
const KNOWN =
  "symbol, was, name, chain, contract, decimals, maxSupply, asOf, source, transfers, predecessors, columns, blocks, prices, exchanges, contracts, deposits, cohorts, calendar, freshness, resolutions, lots";

const COLUMN =
  '"columns.contract" must be the name of the column of contracts, or null if all rows are transfers of the asset';

test.each([
  [{ columns: "token" }, '"columns" must be an object'],
  [{ columns: {} }, 'key "columns.contract" is missing; add it'],
  [{ columns: { contract: "" } }, COLUMN],
  [{ columns: { contract: 5 } }, COLUMN],
  [{ columns: { contract: null, value: "amount" } }, 'unknown key "columns.value"; known keys are contract'],
  [{ symbol: undefined }, 'key "symbol" is missing; add it'],
  [{ transfers: undefined }, 'key "transfers" is missing; add it'],
  [{ maxSupply: undefined }, 'key "maxSupply" is missing; add it'],
  [{ price: "prices.csv" }, `unknown key "price"; known keys are ${KNOWN}`],
  [{ $schema: "x" }, `unknown key "$schema"; known keys are ${KNOWN}`],
  [{ cohorts: { Team: "team.csv" } }, COHORTS],
  [{ cohorts: { team: 5 } }, COHORTS],
  [{ cohorts: { team: "" } }, COHORTS],
  [{ cohorts: ["team.csv"] }, COHORTS],
  [{ cohorts: { ["a".repeat(33)]: "team.csv" } }, COHORTS],
  [{ cohorts: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`list${i}`, "team.csv"])) }, COHORTS],
  [{ prices: {} }, 'key "prices.file" is missing; add it'],
  [{ prices: { file: "" } }, `"prices.file" ${PATHS}`],
  [{ prices: { file: "p.csv", stamp: "start" } }, '"prices.stamp" must be "open" or "close"'],
  [
    { prices: { file: "p.csv", stamp: "open" } },
    '"prices" needs "period" with the stamp open: the length of a candle, such as 1d',
  ],
  [
    { prices: { file: "p.csv", period: "1d" } },
    '"prices" needs "stamp" with a period: whether the times are those of the open or the close',
  ],
  ...[86_400, "1", "0d", "1.5h", "1M", "1 d", "day"].map((period): [Record<string, unknown>, string] => [
    { prices: { file: "p.csv", stamp: "open", period } },
    '"prices.period" must be the length of a candle in minutes, hours, days or weeks, such as 15m, 4h, 1d or 1w',
  ]),
  [{ symbol: "tst" }, '"symbol" must be 1 to 20 of A–Z, 0–9, “.”, “_”, “-”, beginning with a letter or digit'],
  [{ symbol: 5 }, '"symbol" must be 1 to 20 of A–Z, 0–9, “.”, “_”, “-”, beginning with a letter or digit'],
  [{ symbol: "." }, '"symbol" must be 1 to 20 of A–Z, 0–9, “.”, “_”, “-”, beginning with a letter or digit'],
  [{ symbol: ".." }, '"symbol" must be 1 to 20 of A–Z, 0–9, “.”, “_”, “-”, beginning with a letter or digit'],
  [{ asOf: "2999-01-01" }, '"asOf" must not be in the future'],
  [{ name: " " }, '"name" must be a non-empty string'],
  [{ contract: "0x12" }, '"contract" must be 0x and 40 hexadecimal digits'],
  [{ decimals: 78 }, '"decimals" must be a whole number from 0 to 77'],
  [{ decimals: -1 }, '"decimals" must be a whole number from 0 to 77'],
  [{ decimals: 1.5 }, '"decimals" must be a whole number from 0 to 77'],
  [{ decimals: "18" }, '"decimals" must be a whole number from 0 to 77'],
  [{ maxSupply: "0" }, MAX_SUPPLY],
  [{ maxSupply: "-5" }, MAX_SUPPLY],
  [{ maxSupply: "1e9" }, MAX_SUPPLY],
  [{ maxSupply: 0 }, MAX_SUPPLY],
  [{ maxSupply: 1.5 }, `${MAX_SUPPLY}, in quotes`],
  [{ maxSupply: 1e21 }, `${MAX_SUPPLY}, in quotes`],
  [{ maxSupply: null }, MAX_SUPPLY],
  [{ asOf: "soon" }, AS_OF],
  [{ asOf: 1_577_836_800_000 }, AS_OF],
  [{ asOf: true }, AS_OF],
  [{ transfers: [] }, `"transfers" ${PATHS}`],
  [{ transfers: "" }, `"transfers" ${PATHS}`],
  [{ prices: [1] }, `"prices" ${PATHS}`],
  [{ freshness: "week" }, '"freshness" must be "day" or "hour"'],
  [{ resolutions: ["hour"] }, RESOLUTIONS],
  [{ resolutions: ["day", "day"] }, RESOLUTIONS],
  [{ resolutions: ["day", "week"] }, RESOLUTIONS],
  [{ lots: "fifo" }, LOTS],
  [{ lots: ["fifo", "fifo"] }, LOTS],
  [{ lots: ["FIFO"] }, LOTS],
  [{ lots: ["average"] }, LOTS],
])("%o is refused", async (keys, problem) => {
  const path = new Folder().asset(keys);
  await expect(readAsset(path)).rejects.toThrow(new Failure(`${path}: ${problem}.`));
});

it("lists methods of lots in their order, and no list is none", async () => {
  const lotsOf = async (keys: Record<string, unknown>) => (await readAsset(new Folder().asset(keys))).lots;
  expect(await lotsOf({ lots: ["hifo", "fifo"] })).toEqual(["fifo", "hifo"]);
  expect(await lotsOf({ lots: [] })).toBeUndefined();
  expect(await lotsOf({})).toBeUndefined();
});

test("what is no JSON object, or not there, is refused", async () => {
  const folder = new Folder();
  const path = folder.asset();
  writeFileSync(path, "[]");
  await expect(readAsset(path)).rejects.toThrow(new Failure(`${path}: must be a JSON object.`));
  writeFileSync(path, '{"symbol": ');
  await expect(readAsset(path)).rejects.toThrow(`${path} is not valid JSON: `);
  await expect(readAsset(folder.path)).rejects.toThrow(`${folder.path} is a folder; pass the ASSET.json in it.`);
  for (const other of ["/dev/zero", `${folder.write("transfers.csv", "1\n".repeat(600_000)).path}/transfers.csv`]) {
    await expect(readAsset(other)).rejects.toThrow(
      new Failure(`${other} is a device, or too large for an ASSET.json; pass the path of one.`),
    );
  }
  await expect(readAsset("none.json")).rejects.toThrow(new Failure("none.json does not exist."));
});

const SOURCE = { chainId: 8453, firstBlock: 1, events: "erc20" };

test("a shipped list is what fetch has placed, or without a source what ships for the chain", async () => {
  const cohorts = { team: "team.csv", dex: "shipped" };
  expect((await readAsset(new Folder().asset({ cohorts }))).cohorts).toEqual([
    { name: "team", path: "team.csv" },
    {
      name: "dex",
      kind: "dex",
      shippedAs: "shipped/ethereum.csv",
      path: expect.stringMatching(/\/builder\/input\/labels\/kinds\/ethereum\.csv$/),
    },
  ]);
  const elsewhere = await readAsset(new Folder().asset({ cohorts: { burn: "shipped" }, chain: "my-chain" }));
  expect(elsewhere.cohorts).toMatchObject([{ shippedAs: "shipped/none.csv" }]);
  expect((await readAsset(new Folder().asset({ cohorts, source: SOURCE }))).cohorts).toEqual([
    { name: "team", path: "team.csv" },
    { name: "dex", kind: "dex", path: "inputs/TST/kinds.csv" },
  ]);
});

test("a list that does not ship is refused, with those that do", async () => {
  const path = new Folder().asset({ cohorts: { dexes: "shipped" } });
  await expect(readAsset(path)).rejects.toThrow(
    new Failure(
      `${path}: "cohorts.dexes" is "shipped", but no list of that name ships with Soprano; those that do are dex, lending, ` +
        "bridge, staking, vesting, treasury, multisig, burn. Correct the name, or give the path of a list.",
    ),
  );
});

test("a key that appears twice is refused, however it is written", async () => {
  const folder = new Folder();
  const path = folder.asset({ name: 'has "symbol": in it' });
  expect(await readAsset(path)).toMatchObject({ symbol: "TST" });
  folder.write("asset.json", `{"\\u0073ymbol": "ABC", ${readFileSync(path, "utf8").slice(1)}`);
  await expect(readAsset(path)).rejects.toThrow(new Failure(`${path}: key "symbol" appears twice; keep one.`));
});
