/** What rows say about themselves: not a fungible token's, of another chain, removed by a reorganisation. */

import { expect, test } from "vitest";
import { csv, EVENTS, events, Folder, HEADER, OTHER_TOKEN, ROWS, row, T1, TOKEN } from "../folder.ts";

const hash = (digit: string) => `0x${digit.repeat(64)}`;
/** A file of the three rows with further columns; each cell may be any text. */
const withColumns = (columns: string, ...cells: string[]) =>
  csv(`${HEADER},${columns}`, ...ROWS.map((line, i) => `${line},${cells[i] ?? cells.at(-1)}`));
const refusalOf = (columns: string, ...cells: string[]) =>
  new Folder().write("transfers.csv", withColumns(columns, ...cells)).refusal();
const readOf = (columns: string, ...cells: string[]) =>
  new Folder().write("transfers.csv", withColumns(columns, ...cells)).read();

const NOT_FUNGIBLE =
  'means that the token is not fungible, and Soprano reads fungible tokens only. Compare "contract" in ASSET.json with the file; if it is an ERC-20 token, export it without this column.';

test.each([
  ["token_type", ["ERC20", "erc-1155", "ERC721"], 2, "erc-1155"],
  ["tokenType", ["ERC721"], 1, "ERC721"],
  ["Token Standard", ["", "null", "NFT"], 3, "NFT"],
  ["token_id", ["", "0x0000", "0x2a"], 3, "0x2a"],
  ["token_id", ["None", "0.0", "7.0"], 3, "7.0"],
  ["topic3", ["", hash("0"), hash("7")], 3, hash("7")],
  ["topic1,topic2,topic3,topic4", [`a,b,${hash("1")},`, `a,b,${hash("1")},${hash("2")}`], 2, hash("2")],
])("rows that are not a fungible token's: %s", async (columns, cells, row, shown) => {
  const column = columns.split(",").at(-1);
  expect(await refusalOf(columns, ...cells)).toBe(
    `transfers.csv, row ${row}, column ${column}: "${shown}" ${NOT_FUNGIBLE}`,
  );
});

test.each([
  ["token_type", "ERC20", "erc20", "ERC-20"],
  ["token_type", '"erc-20"', "NULL", "BEP20"],
  ["token_standard", "ERC-777", "", "ERC20 Token"],
  // The second schema of ethereum-etl.
  ["token_type,token_id", `ERC20,0x${"0".repeat(63)}1`],
  ["token_id", "0"],
  ["topic0,topic1,topic2,topic3", `${hash("a")},${hash("b")},${hash("c")},`],
  ["topic1,topic2,topic3,topic4", `${hash("a")},${hash("b")},${hash("c")},`],
  ["topics", `"[""${hash("a")}"", ""${hash("b")}"", ""${hash("c")}""]"`],
])("rows of a fungible token: %s", async (columns, ...cells) => {
  expect(events(await readOf(columns, ...cells))).toEqual(EVENTS);
});

test("a list of four topics, as text, as a list, and of bytes", async () => {
  const topics = ["a", "b", "c", "0"].map((digit) => digit.repeat(64));
  expect(await refusalOf("topics", `"${topics.slice(0, 3)}"`, `"{${topics}}"`)).toMatch(
    /^transfers\.csv, row 2, column topics: "\{aaaa.*not fungible/,
  );
  const rows = `(VALUES ${ROWS.map((line) => `(${line.split(",").map((cell) => `'${cell}'`)})`)}) rows(${HEADER})`;
  const texts = topics.map((topic) => `'0x${topic}'`);
  const bytes = topics.map((topic) => `unhex('${topic}')`);
  for (const list of [`[${texts}]`, `[${texts}]::VARCHAR[4]`, `[${bytes}]`, `{'list': [{'element': '${topics}'}]}`]) {
    const folder = await new Folder().parquet("t.parquet", `SELECT *, ${list} AS topics FROM ${rows}`);
    expect(await folder.refusal({ transfers: "t.parquet" })).toMatch(
      /^t\.parquet, row 1, column topics: .*not fungible/,
    );
  }
  for (const list of [`[${texts.slice(1)}]`, `[${bytes.slice(1)}]`, `[${texts.slice(1)}, NULL]`, "NULL::VARCHAR[]"]) {
    const folder = await new Folder().parquet("t.parquet", `SELECT *, ${list} AS topics FROM ${rows}`);
    expect(events(await folder.read({ transfers: "t.parquet" }))).toEqual(EVENTS);
  }
});

test("rows of other contracts may be of any token and chain", async () => {
  const folder = new Folder().write(
    "transfers.csv",
    csv(
      `${HEADER},token_address,token_type,chain_id,removed`,
      `${row()},${OTHER_TOKEN},ERC721,137,true`,
      ...ROWS.map((line) => `${line},${TOKEN},ERC20,1,false`),
    ),
  );
  const read = await folder.read();
  expect(events(read)).toEqual(EVENTS);
  expect(read.report.notices.join()).not.toContain("reorganisation");
});

test("rows that a reorganisation has removed are dropped, with a notice", async () => {
  const folder = new Folder().write("a.csv", withColumns("removed", "false"));
  const removed = [row({ block: 11, log: 5, time: T1 + 13, value: 7 }), row({ block: 10, log: 0, time: T1, value: 8 })];
  folder.write(
    "b.csv",
    csv(
      `${HEADER},token_address,removed`,
      `${row()},${OTHER_TOKEN},true`,
      ...removed.map((line) => `${line},${TOKEN},True`),
    ),
  );
  const read = await folder.read({ transfers: ["a.csv", "b.csv"] });
  expect(events(read)).toEqual(EVENTS);
  expect(read.report).toMatchObject({ rowsRead: 6, duplicates: 0, skippedOtherContracts: 1 });
  expect(read.report.notices[0]).toBe("Dropped 2 rows that a reorganisation has removed, the first in b.csv, row 2.");
});

test.each([
  ["true", "BOOLEAN"],
  ["1", "TINYINT"],
  ["'True'", "VARCHAR"],
])("a removed row of a Parquet file: %s as %s", async (value, type) => {
  const rows = `(VALUES ${ROWS.map((line) => `(${line.split(",").map((cell) => `'${cell}'`)})`)}) rows(${HEADER})`;
  const removed = `SELECT *, CASE WHEN log_index = '2' THEN ${value} END::${type} AS removed FROM ${rows}`;
  const folder = await new Folder().parquet("t.parquet", removed);
  const read = await folder.read({ transfers: "t.parquet" });
  expect(events(read)).toEqual([EVENTS[0], EVENTS[2]]);
  expect(read.report.notices[0]).toBe(
    "Dropped 1 row that a reorganisation has removed, the first in t.parquet, row 2.",
  );
});

test("a transfer that is there and removed", async () => {
  const rows = [row(), row({ block: 101 })];
  const folder = new Folder().write(
    "t.csv",
    csv(`${HEADER},removed`, `${rows[0]},false`, `${rows[1]},0`, `${rows[0]},true`),
  );
  expect(await folder.refusal({ transfers: "t.csv" })).toBe(
    "Block 100 has a transfer with log index 1 that is there (t.csv, row 1) and removed (t.csv, row 3); remove both rows, or export the final blocks again.",
  );
  // The block that is there has another hash.
  const header = `${HEADER},removed,block_hash`;
  folder.write("t.csv", csv(header, `${rows[0]},false,${hash("a")}`, `${rows[1]},0,`, `${rows[0]},true,${hash("b")}`));
  expect((await folder.read({ transfers: "t.csv" })).history.rows).toBe(2);
});

test("a file whose rows of the asset are all removed", async () => {
  expect(await refusalOf("removed", "true")).toBe(
    "transfers.csv: a reorganisation has removed every row of the asset; export the final blocks again.",
  );
});

test("rows of two chains", async () => {
  expect(await refusalOf("chain_id", "1", "0x1", "137")).toBe(
    'transfers.csv, row 1, column chain_id says "1", but transfers.csv, row 3, column chain_id says "137". The transfers of an asset are of one chain: remove the others, or write its name alike.',
  );
  const folder = new Folder().write("a.csv", withColumns("blockchain", "", "Ethereum"));
  folder.write("b.csv", withColumns("chainId,Chain", "1,polygon"));
  expect(await folder.refusal({ transfers: ["a.csv", "b.csv"] })).toMatch(
    /^a\.csv, row 2, column blockchain says "Ethereum", but b\.csv, row 1, column Chain says "polygon"\./,
  );
});

test("a chain by its id and by its name, in any spelling, and another one's name in ASSET.json", async () => {
  const folder = new Folder().write(
    "a.csv",
    withColumns("blockchain,chain_id", "BNB Chain,56", "bnb-chain,0x38", "bnb_chain,"),
  );
  folder.write("b.csv", withColumns("chainId,chain", "56.0,NULL", "56,BNB chain"));
  folder.write("c.csv", csv(HEADER, ...ROWS));
  const read = await folder.read({ transfers: ["a.csv", "b.csv", "c.csv"], chain: "bsc" });
  expect(read.report.duplicates).toBe(6);
});
