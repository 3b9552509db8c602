/** Every accepted form of transfers gives the same history. */

import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ReadProgress } from "../../builder/input/progress.ts";
import { ALICE, BOB, CAROL, csv, events, Folder, HEADER, OTHER_TOKEN, row, TOKEN, ZERO } from "./folder.ts";

const MAX = 2n ** 256n - 1n;
const [T1, T2] = [1_577_836_800, 1_577_836_812];

const ROWS = [
  row({ block: 10, log: 0, time: T1, from: ZERO, to: ALICE, value: 1000 }),
  row({ block: 10, log: 2, time: T1, from: ALICE, to: BOB, value: 2n ** 64n }),
  row({ block: 11, log: 0, time: T2, from: BOB, to: CAROL, value: 0 }),
];

const EVENTS = [
  [10, 0, T1, ZERO, ALICE, 1000n],
  [10, 2, T1, ALICE, BOB, 2n ** 64n],
  [11, 0, T2, BOB, CAROL, 0n],
];

/** The rows as a SQL table of texts. */
const TEXTS = `(VALUES ${ROWS.map((line) => `(${line.split(",").map((cell) => `'${cell}'`)})`)}) rows(${HEADER})`;

const ISO = `strftime(to_timestamp(block_timestamp::BIGINT), '%Y-%m-%d %H:%M:%S')`;
const bytes = (column: string) => `unhex(substr(${column}, 3))`;
const word256 = (column: string) => `unhex(lpad(hex(${column}::UHUGEINT), 64, '0'))`;

test.each([
  ["as texts", "*"],
  ["with other names' case", `block_number AS "Block_Number", * EXCLUDE (block_number)`],
  [
    "numbers as INTEGER and BIGINT",
    "* REPLACE (block_number::BIGINT AS block_number, log_index::INTEGER AS log_index, block_timestamp::BIGINT AS block_timestamp)",
  ],
  [
    "numbers as UBIGINT and USMALLINT",
    "* REPLACE (block_number::UBIGINT AS block_number, log_index::USMALLINT AS log_index, block_timestamp::UBIGINT AS block_timestamp)",
  ],
  ["values as DECIMAL", "* REPLACE (value::UHUGEINT::DECIMAL(38, 0) AS value)"],
  ["values as DECIMAL with zeros after the point", "* REPLACE (value::UHUGEINT::DECIMAL(38, 9) AS value)"],
  ["times as TIMESTAMP", `* REPLACE (${ISO}::TIMESTAMP AS block_timestamp)`],
  ["times as TIMESTAMPTZ", `* REPLACE ((${ISO} || '+00')::TIMESTAMPTZ AS block_timestamp)`],
  ["times as TIMESTAMP_S", `* REPLACE (${ISO}::TIMESTAMP_S AS block_timestamp)`],
  ["times as TIMESTAMP_MS", `* REPLACE (${ISO}::TIMESTAMP_MS AS block_timestamp)`],
  ["times as TIMESTAMP_NS", `* REPLACE (${ISO}::TIMESTAMP_NS AS block_timestamp)`],
  ["times as ISO 8601", `* REPLACE (replace(${ISO}, ' ', 'T') || 'Z' AS block_timestamp)`],
  ["times as BigQuery writes them", `* REPLACE (${ISO} || '.000000 UTC' AS block_timestamp)`],
  ["addresses as bytes", `* REPLACE (${bytes("from_address")} AS from_address, ${bytes("to_address")} AS to_address)`],
  [
    "addresses in capitals",
    `* REPLACE ('0x' || upper(substr(from_address, 3)) AS from_address, upper(to_address) AS to_address)`,
  ],
  ["values as 32 bytes", `* REPLACE (${word256("value")} AS value)`],
  [
    "cryo with bytes",
    `* EXCLUDE (value), ${word256("value")} AS value_binary, value AS value_string, value::DOUBLE AS value_f64`,
  ],
  ["cryo with --hex", `* EXCLUDE (value), '0x' || lower(hex(${word256("value")})) AS value_binary`],
  ["cryo with texts", `* EXCLUDE (value), value AS value_string, value::DOUBLE AS value_f64`],
  ["an inexact and an exact value", `* REPLACE (value::DOUBLE AS value), value AS value_string`],
  ["with a column of the contract", `*, '${TOKEN}' AS token_address`],
  ["with a column of the contract in capitals", `*, upper('${TOKEN}') AS token_address`],
  ["with a column of the contract as bytes", `*, ${bytes(`'${TOKEN}'`)} AS erc20`],
])("Parquet %s", async (_, columns) => {
  const folder = await new Folder().parquet("transfers.parquet", `SELECT ${columns} FROM ${TEXTS}`);
  expect(events(await folder.read({ transfers: "transfers.parquet" }))).toEqual(EVENTS);
});

test.each([
  ["plain", csv(HEADER, ...ROWS)],
  ["without a last line end", csv(HEADER, ...ROWS).trimEnd()],
  ["with \\r\\n and a byte order mark", `\uFEFF${csv(HEADER, ...ROWS).replaceAll("\n", "\r\n")}`],
  ["with blank lines", `${csv(HEADER, ROWS[0]!, "", "", ROWS[1]!, ROWS[2]!)}\n\n`],
  ["with everything quoted", csv(HEADER, ...ROWS).replaceAll(/[^,\n]+/g, '"$&"')],
  ["with other columns", csv(`transaction_hash,${HEADER},note`, ...ROWS.map((line) => `0xabc,${line},"a, b"`))],
  [
    "with times as texts",
    csv(HEADER, ...ROWS)
      .replaceAll(String(T1), "2020-01-01 00:00:00 UTC")
      .replaceAll(String(T2), "2020-01-01T01:00:12+01:00"),
  ],
])("CSV %s", async (_, content) => {
  expect(events(await new Folder().write("transfers.csv", content).read())).toEqual(EVENTS);
});

test("CSV.gz, a list and a glob of files of several kinds, in any order and with repeats", async () => {
  const folder = await new Folder().parquet("b.parquet", `SELECT * FROM ${TEXTS} WHERE log_index = '2'`);
  folder.write("a.csv.gz", csv(HEADER, ROWS[2]!, ROWS[0]!)).write("c.csv", csv(HEADER, ROWS[0]!));
  mkdirSync(join(folder.path, "more"));
  folder.write("more/[x].csv", csv(HEADER, ROWS[2]!));

  const listed = await folder.read({ transfers: ["c.csv", "b.parquet", "a.csv.gz", "more/[x].csv", "c.csv"] });
  expect(events(listed)).toEqual(EVENTS);
  expect(listed.report).toMatchObject({ rowsRead: 5, duplicates: 2, addresses: 3 });
  expect(listed.report.files.map(({ file, rows }) => [file, rows])).toEqual([
    ["c.csv", 1],
    ["b.parquet", 1],
    ["a.csv.gz", 2],
    ["more/[x].csv", 1],
  ]);

  const globbed = await folder.read({ transfers: ["*.csv*", "**/*.parquet"] });
  expect(events(globbed)).toEqual(EVENTS);
  expect(globbed.report.files.map(({ file }) => file)).toEqual(["a.csv.gz", "c.csv", "b.parquet"]);
});

test("a gzip file of several members is read whole", async () => {
  const members = [csv(HEADER, ROWS[0]!), csv(ROWS[1]!, ROWS[2]!)].map((part) => gzipSync(part));
  const folder = new Folder().write("transfers.csv.gz", Buffer.concat(members));
  expect(events(await folder.read({ transfers: "transfers.csv.gz" }))).toEqual(EVENTS);
});

test("the digest and size of each file are those of its bytes", async () => {
  const content = csv(HEADER, ...ROWS);
  const { report } = await new Folder().write("transfers.csv", content).read();
  const sha256 = createHash("sha256").update(content).digest("hex");
  expect(report.files).toEqual([{ role: "transfers", file: "transfers.csv", sha256, bytes: content.length, rows: 3 }]);
});

test("values up to 2^256 − 1 are exact, beside small ones", async () => {
  const values = [1n, 2n ** 32n - 1n, 10n ** 15n, 999_999_999_999_999n, 2n ** 128n - 1n, 2n ** 128n, 10n ** 77n, MAX];
  const lines = values.map((value, block) => row({ block, value }));
  const read = await new Folder().write("transfers.csv", csv(HEADER, ...lines)).read();
  expect(read.history.valueWords).toBe(8);
  expect(events(read).map((event) => (event as unknown[])[5])).toEqual(values);

  const folder = await new Folder().parquet(
    "transfers.parquet",
    `SELECT unhex('${"ff".repeat(32)}') AS value_binary, 1 AS block_number, 2 AS log_index, 3 AS timestamp, '${ALICE}' AS from_address, '${BOB}' AS to_address`,
  );
  expect(events(await folder.read({ transfers: "transfers.parquet" }))).toEqual([[1, 2, 3, ALICE, BOB, MAX]]);
});

test("a value takes as many words as the largest needs", async () => {
  const words = async (value: bigint) =>
    (await new Folder().write("transfers.csv", csv(HEADER, row({ value }))).read()).history.valueWords;
  expect(await words(0n)).toBe(1);
  expect(await words(2n ** 32n)).toBe(2);
  expect(await words(2n ** 96n - 1n)).toBe(3);
  expect(await words(2n ** 128n)).toBe(5);
});

test("times come from files of blocks where transfers have none", async () => {
  const folder = new Folder();
  await folder.parquet("transfers.parquet", `SELECT * EXCLUDE (block_timestamp) FROM ${TEXTS}`);
  await folder.parquet(
    "blocks-1.parquet",
    `SELECT block_number::UINTEGER AS block_number, ${T1}::UINTEGER AS timestamp FROM (VALUES (9), (10)) b(block_number)`,
  );
  folder.write("blocks-2.csv", csv("number,timestamp", `11,${T2}`, `10,${T1}`, "12,999999999"));
  const read = await folder.read({ transfers: "transfers.parquet", blocks: "blocks-*" });
  expect(events(read)).toEqual(EVENTS);
  expect(read.report.files.map(({ role, rows }) => [role, rows])).toEqual([
    ["transfers", 3],
    ["blocks", 2],
    ["blocks", 3],
  ]);
});

test("files of blocks that no transfer needs are named in a notice", async () => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, ...ROWS)).write("blocks.csv", csv("number,timestamp"));
  const read = await folder.read({ blocks: "blocks.csv" });
  expect(read.report.notices[0]).toBe("The files of blocks were not read: every transfer has its time.");
});

test("a date is its midnight", async () => {
  const sql = `SELECT * REPLACE (DATE '2020-01-01' AS block_timestamp) FROM ${TEXTS}`;
  const folder = await new Folder().parquet("transfers.parquet", sql);
  expect([...(await folder.read({ transfers: "transfers.parquet" })).history.timestamp]).toEqual([T1, T1, T1]);
});

test("rows of other contracts are counted, and may hold anything", async () => {
  const lines = [
    `${ROWS[0]},${TOKEN}`,
    `x,y,z,a,b,-5,${OTHER_TOKEN}`,
    `${ROWS[1]},${TOKEN}`,
    `${ROWS[2]},${TOKEN.toUpperCase().replace("X", "x")}`,
  ];
  const read = await new Folder().write("transfers.csv", csv(`${HEADER},token_address`, ...lines)).read();
  expect(events(read)).toEqual(EVENTS);
  expect(read.report).toMatchObject({ rowsRead: 4, skippedOtherContracts: 1, addresses: 3 });
});

test("as-of is one second after the last transfer, or cuts what is at or after it", async () => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, ...ROWS));
  expect((await folder.read()).asOf).toBe(T2 + 1);
  const cut = await folder.read({ asOf: T2 });
  expect(events(cut)).toEqual(EVENTS.slice(0, 2));
  expect(cut.report).toMatchObject({ rowsRead: 3, skippedAfterAsOf: 1, addresses: 2 });
  expect(cut.history.addresses.length).toBe(60);
});

test("all columns are in shared memory", async () => {
  const { history, prices, groups } = await new Folder().write("transfers.csv", csv(HEADER, ...ROWS)).read();
  const columns = [...Object.values(history), ...Object.values(prices), groups].filter(
    (column) => typeof column === "object",
  );
  expect(columns.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual(new Array(10).fill(true));
});

test("progress rises to its total", async () => {
  const folder = new Folder().write("1.csv", csv(HEADER, ...ROWS)).write("2.csv", csv(HEADER, ROWS[0]!));
  const seen: number[] = [];
  const progress = new ReadProgress(({ done, total }) => seen.push(done / total));
  await folder.read({ transfers: "*.csv" }, { progress });
  expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
  expect(seen.at(-1)).toBe(1);
});

test("names of files in capitals, and of folders that look like columns, mean nothing", async () => {
  const folder = new Folder();
  for (const name of ["c0=5", "value=7"]) mkdirSync(join(folder.path, name));
  folder.write("c0=5/a.csv", csv(HEADER, ROWS[0]!)).write("B.CSV.GZ", gzipSync(csv(HEADER, ROWS[1]!)));
  await folder.parquet("value=7/C.PARQUET", `SELECT * FROM ${TEXTS} WHERE block_number = '11'`);
  expect(events(await folder.read({ transfers: ["c0=5/a.csv", "B.CSV.GZ", "value=7/*"] }))).toEqual(EVENTS);
});
