/** Every accepted form of transfers gives the same history. */

import { expect, test } from "vitest";
import {
  ALICE,
  BOB,
  csv,
  EVENTS,
  events,
  Folder,
  HEADER,
  OTHER_TOKEN,
  ROWS,
  row,
  T1,
  T2,
  TEXTS,
  TOKEN,
} from "../../folder.ts";

const MAX = 2n ** 256n - 1n;
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

test.each([
  ["block", "x", 'block_number: "x" is not valid; expected a block number, a whole number from 0 to 2^53 − 1.'],
  ["log", "0x1", 'log_index: "0x1" is not valid; expected a log index, a whole number from 0 to 2^32 − 1.'],
  ["time", "noon", 'block_timestamp: "noon" is not valid; expected Unix seconds or ISO 8601.'],
  ["from", "", "from_address: the cell is empty; expected an address, 0x and 40 hexadecimal digits."],
  ["to", `${BOB}00`, `to_address: "${BOB}00" is not 20 bytes long; expected an address, 0x and 40 hexadecimal digits.`],
  [
    "value",
    "1e18",
    'value: "1e18" is in scientific notation; expected raw token units, a whole number from 0 to 2^256 − 1.',
  ],
])("an invalid cell is refused: %s %j", async (cell, text, sentence) => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, row(), row({ [cell]: text })));
  expect(await folder.refusal()).toBe(`transfers.csv, row 2, column ${sentence}`);
});

test("an invalid cell is found far into a file, and behind rows of other contracts", async () => {
  const lines = Array.from({ length: 5000 }, (_, index) =>
    index % 2 ? `${row({ block: index })},${TOKEN}` : `?,?,?,?,?,?,${OTHER_TOKEN}`,
  );
  lines[4001] = `${row({ block: "x" })},${TOKEN}`;
  const folder = new Folder().write("transfers.csv", csv(`${HEADER},token_address`, ...lines));
  expect(await folder.refusal()).toBe(
    `transfers.csv, row 4002, column block_number: "x" is not valid; expected a block number, a whole number from 0 to 2^53 − 1.`,
  );
});
