/** The column of contracts, whatever its name. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAsset } from "../../../../builder/input/asset/asset.ts";
import { digestInput } from "../../../../builder/input/digest-input.ts";
import { surveyInput } from "../../../../builder/input/survey.ts";
import {
  chooseContractColumns,
  type FileColumns,
} from "../../../../builder/input/transfers/columns/contract-column.ts";
import { readInput } from "../../../in-memory/input.ts";
import { csv, EVENTS, events, Folder, HEADER, OTHER_TOKEN, ROWS, row, TEXTS, TOKEN, ZERO } from "../../folder.ts";

const THIRD = `0x${"72".repeat(20)}`;
/** A mint of another token. */
const STRAY = row({ block: 12, log: 0, time: 1_577_836_900, from: ZERO, value: 5_000_000_000_000 });

/** A file with the events of the asset and the mint, and more columns: of each, its cell in the asset's rows and in the other. */
function file(columns: Record<string, readonly [own: string, other: string]>): string {
  const cells = (side: 0 | 1) =>
    Object.values(columns)
      .map((column) => `,${column[side]}`)
      .join("");
  return csv([HEADER, ...Object.keys(columns)].join(","), STRAY + cells(1), ...ROWS.map((line) => line + cells(0)));
}

test.each(["contract_address", "Contract Address", "token", "Vertragsadresse"])(
  "rows of other contracts are told by a column %s",
  async (name) => {
    const read = await new Folder().write("transfers.csv", file({ [name]: [TOKEN, OTHER_TOKEN] })).read();
    expect(events(read)).toEqual(EVENTS);
    expect(read.report).toMatchObject({ rowsRead: 4, skippedOtherContracts: 1 });
  },
);

test.each([
  ["text", "contract"],
  ["text in capitals", "upper(contract)"],
  ["bytes", "unhex(substr(contract, 3))"],
])("and in Parquet, as %s", async (_, sql) => {
  const contract = `CASE WHEN log_index = '2' THEN '${OTHER_TOKEN}' ELSE '${TOKEN}' END`;
  const folder = await new Folder().parquet(
    "transfers.parquet",
    `SELECT * EXCLUDE (contract), ${sql} AS contract_address FROM (SELECT *, ${contract} AS contract FROM ${TEXTS})`,
  );
  expect(events(await folder.read({ transfers: "transfers.parquet" }))).toEqual([EVENTS[0], EVENTS[2]]);
});

test("parties of a transaction are none, even if they are the contract", async () => {
  const parties = [
    "tx_from",
    "tx_to",
    "Tx To",
    "origin_from_address",
    "origin_to_address",
    "miner",
    "evt_tx_to",
    "transaction_to_address",
  ];
  const columns = Object.fromEntries(parties.map((name) => [name, [TOKEN, OTHER_TOKEN] as const]));
  expect(events(await new Folder().write("transfers.csv", file(columns)).read())).toHaveLength(4);
  const read = await new Folder().write("transfers.csv", file({ ...columns, token: [TOKEN, OTHER_TOKEN] })).read();
  expect(events(read)).toEqual(EVENTS);
});

test("other texts, hashes and numbers are none", async () => {
  const hash = `0x${"ab".repeat(32)}`;
  const columns = {
    transaction_hash: [hash, hash],
    symbol: ["TST", "USDC"],
    note: ["", `sent to ${TOKEN}`],
    label: ["Alice's wallet", OTHER_TOKEN],
    amount_raw: ["1".repeat(40), "2".repeat(40)],
    contract_address: ["", ""],
    method: ["0xa9059cbb", "0x"],
  } as const;
  expect(events(await new Folder().write("transfers.csv", file(columns)).read())).toHaveLength(4);
});

const KEY = (name: string) =>
  `Name it in asset.json, as "columns": {"contract": "${name}"}, or write null there if all rows are transfers of ${TOKEN}.`;

test.each<[string, Parameters<typeof file>[0], string, string]>([
  ["of other contracts alone", { token: [THIRD, OTHER_TOKEN] }, "token holds other addresses", "token"],
  [
    "one of them with the contract, the other without",
    { contract_address: [TOKEN, OTHER_TOKEN], pool: [THIRD, THIRD] },
    "contract_address holds the asset's contract, pool holds other addresses",
    "contract_address",
  ],
  [
    "both with the contract",
    { pool: [THIRD, TOKEN], token: [TOKEN, OTHER_TOKEN] },
    "pool holds the asset's contract, token holds the asset's contract",
    "pool",
  ],
  ["texts with the contract among them", { label: ["Alice", TOKEN] }, "label holds the asset's contract", "label"],
  ["addresses without 0x", { token: ["a1".repeat(20), "b2".repeat(20)] }, "token holds other addresses", "token"],
])("columns are unclear: %s", async (_, columns, said, name) => {
  const folder = new Folder().write("transfers.csv", file(columns));
  expect(await folder.refusal()).toBe(
    `transfers.csv: it is unclear which column says whose transfer a row is: ${said}. ${KEY(name)}`,
  );
  expect(events(await folder.read({ columns: { contract: null } }))).toHaveLength(EVENTS.length + 1);
  const named = Object.keys(columns).find((key) => columns[key]![0] === TOKEN);
  if (named) expect(events(await folder.read({ columns: { contract: named.toUpperCase() } }))).toEqual(EVENTS);
});

test("the contract is found behind thousands of other rows, and after thousands of empty or other cells", async () => {
  for (const first of [OTHER_TOKEN, "", "ETH"]) {
    const others = Array.from({ length: 5_000 }, (_, block) => `${row({ block, log: 9 })},${first}`);
    const rest = Array.from(
      { length: first === OTHER_TOKEN ? 0 : 5_001 },
      (_, block) => `${row({ block })},${OTHER_TOKEN}`,
    );
    const lines = [...others, ...rest, ...ROWS.map((line) => `${line},${TOKEN}`)];
    const folder = new Folder().write("transfers.csv", csv(`${HEADER},asset`, ...lines));
    if (first === OTHER_TOKEN) expect(events(await folder.read())).toEqual(EVENTS);
    // Such a row is of no contract.
    else expect(await folder.refusal()).toMatch(/^transfers\.csv, row 1, column asset: /);
  }
});

const WITHOUT = csv(`${HEADER},Contract_Address`, `${STRAY},${OTHER_TOKEN}`);

test("a month without a row of the asset is told by the other files", async () => {
  const folder = new Folder()
    .write("1.csv", file({ "contract address": [TOKEN, OTHER_TOKEN] }))
    .write("2.csv", WITHOUT);
  const read = await folder.read({ transfers: "*.csv" });
  expect(events(read)).toEqual(EVENTS);
  expect(read.report).toMatchObject({ rowsRead: 5, skippedOtherContracts: 2 });
  expect(await folder.refusal({ transfers: "2.csv" })).toContain("Contract_Address holds other addresses");
});

test("one name in one file and another in the next are refused, unless ASSET.json names one", async () => {
  const folder = new Folder()
    .write("1.csv", file({ contract_address: [TOKEN, OTHER_TOKEN] }))
    .write("2.csv", file({ token: [TOKEN, OTHER_TOKEN] }))
    .write("3.csv", file({ token_address: [TOKEN, OTHER_TOKEN] }));
  const sentence = (first: string, second: string, name: string) =>
    `Contract ${TOKEN} is in ${first}, but in ${second}. Call the column the same in all files, or name it in asset.json, as "columns": {"contract": "${name}"}.`;
  expect(await folder.refusal({ transfers: ["1.csv", "2.csv"] })).toBe(
    sentence("1.csv in column contract_address", "2.csv in column token", "contract_address"),
  );
  expect(await folder.refusal({ transfers: ["3.csv", "2.csv"] })).toBe(
    sentence("3.csv in column token_address", "2.csv in column token", "token_address"),
  );
  const named = { transfers: "*.csv", columns: { contract: "contract_address" } };
  expect(events(await folder.read(named))).toEqual(EVENTS);
  expect(await folder.refusal({ ...named, columns: { contract: "kontrakt" } })).toBe(
    'asset.json: "columns.contract" names kontrakt, a column that no file of transfers has; correct it.',
  );
});

test("a build that resumes asks the files of earlier nights what the column is called", async () => {
  const folder = new Folder().write("1.csv", file({ contract: [TOKEN, OTHER_TOKEN] }));
  folder.write("2.csv", csv(`${HEADER},Contract`, `${STRAY},${OTHER_TOKEN}`, `${row({ block: 13 })},${TOKEN}`));
  folder.write("3.csv", csv(`${HEADER},Contract`, `${STRAY},${OTHER_TOKEN}`));
  const asset = await readAsset(folder.asset({ transfers: "*.csv" }));
  const input = await digestInput(asset);
  const { sha256, file: known } = input[0]!;
  const before = { role: "transfers", file: known.name, sha256, bytes: known.bytes, rows: 4 } as const;
  const { history } = await surveyInput(asset, input, { known: { files: [before], block: 11 } });
  expect(history.map(({ contractColumn, added }) => [contractColumn, added])).toEqual([
    ["contract", undefined],
    ["Contract", { rows: 2, settled: 0 }],
    ["Contract", { rows: 1, settled: 0 }],
  ]);
});

const look = (file: string, ...addresses: [name: string, holdsContract: boolean][]): FileColumns => ({
  file,
  names: addresses.map(([name]) => name),
  addresses: addresses.map(([name, holdsContract]) => ({ name, holdsContract, isOfAddresses: true })),
});

test("a column that holds the contract by chance wins in no month", () => {
  const asset = { path: "a.json", contract: TOKEN };
  const month = look("1.csv", ["contract_address", true]);
  expect(() =>
    chooseContractColumns(asset, [month, look("2.csv", ["contract_address", false], ["router", true])]),
  ).toThrow("1.csv in column contract_address, but in 2.csv in column router");
  expect(() => chooseContractColumns(asset, [look("2.csv", ["contract_address", false], ["router", true])])).toThrow(
    "contract_address holds other addresses, router holds the asset's contract",
  );
  expect(chooseContractColumns(asset, [month, look("2.csv")])).toEqual(["contract_address", undefined]);
});

const CASES = join(import.meta.dirname, "../../../../../shared/data/cases");
const caseOf = (name: string) => readAsset(join(CASES, name, "asset.json"));

test.skipIf(!existsSync(CASES)).each([
  ["02-contract-address", 2],
  ["13-semicolon", 0],
])("the export %s gives a supply of 1,000, then 1,100", async (name, others) => {
  const read = await readInput(await caseOf(name));
  const supplies: Record<string, bigint> = {};
  let supply = 0n;
  for (const [, , time, from, to, value] of events(read)) {
    supply += (from === ZERO ? value : 0n) - (to === ZERO ? value : 0n);
    supplies[new Date(time * 1000).toISOString().slice(0, 10)] = supply / 10n ** 18n;
  }
  expect(supplies).toEqual({ "2024-01-01": 1_000n, "2024-01-02": 1_100n });
  expect(read.report.skippedOtherContracts).toBe(others);
});

test.skipIf(!existsSync(CASES))(
  "the export 03-etl-v2 is read by its shape, and told that it has a block twice",
  async () => {
    await expect(readInput(await caseOf("03-etl-v2"))).rejects.toThrow(
      /^Block 110 has two hashes: .*adb1" in transfers\.csv, row 2/,
    );
  },
);
