/** Types of Parquet columns. */

import { Decimal, makeData, makeVector, Table, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { Table as WasmTable, writeParquet } from "parquet-wasm";
import { expect, test } from "vitest";
import { ALICE, BOB, events, Folder } from "../folder.ts";

const VALUE = "expected raw token units, a whole number from 0 to 2^256 − 1.";
const ADDRESS = "expected an address, 0x and 40 hexadecimal digits.";
const BLOCK = "expected a block number, a whole number from 0 to 2^53 − 1.";
const LOG = "expected a log index, a whole number from 0 to 2^32 − 1.";
const TIME = "expected Unix seconds or ISO 8601.";
const base = `SELECT 100 AS block_number, 1 AS log_index, 1600000000 AS block_timestamp, '${ALICE}' AS from_address, '${BOB}' AS to_address, '5' AS value`;
const DOUBLE =
  "which loses digits; export the integers again as text, with CAST(… AS VARCHAR) if DuckDB wrote their HUGEINT as DOUBLE.";

test.each([
  ["5::DOUBLE AS value", `column value: has the type DOUBLE, ${DOUBLE.replace("…", "value")}`],
  ["1.0::DOUBLE AS block_number", `column block_number: has the type DOUBLE, ${DOUBLE.replace("…", "block_number")}`],
  [
    "1.5::DOUBLE AS block_timestamp",
    `column block_timestamp: has the type DOUBLE, ${DOUBLE.replace("…", "block_timestamp")}`,
  ],
  ["7 AS to_address", `column to_address: has the type INTEGER; ${ADDRESS.slice(0, -1)}, as text or bytes.`],
  ["NULL::VARCHAR AS value", `row 1, column value: the cell is empty; ${VALUE}`],
  ["-5 AS value", `row 1, column value: "-5" is negative; ${VALUE}`],
  ["1.5::DECIMAL(10, 2) AS value", `row 1, column value: "1.50" is not a whole number; ${VALUE}`],
  [
    "'\\xAA'::BLOB AS value",
    `row 1, column value: "0xaa" is not 32 bytes long; expected raw token units as 32 big-endian bytes.`,
  ],
  ["NULL::BIGINT AS block_number", `row 1, column block_number: the cell is empty; ${BLOCK}`],
  ["-1 AS log_index", `row 1, column log_index: "-1" is negative; ${LOG}`],
  [
    "1600000000000 AS block_timestamp",
    `row 1, column block_timestamp: "1600000000000" looks like milliseconds: divide by 1000; ${TIME}`,
  ],
  [
    "'2020-01-01 00:00:00.5'::TIMESTAMP AS block_timestamp",
    `row 1, column block_timestamp: "2020-01-01 00:00:00.5" has a fraction of a second; ${TIME}`,
  ],
  [
    `unhex('${"00".repeat(32)}') AS from_address`,
    `row 1, column from_address: "0x${"00".repeat(32)}" is a 32-byte log topic: drop its 24 leading zeros; ${ADDRESS}`,
  ],
])("a column of %s is refused", async (column, sentence) => {
  const folder = await new Folder().parquet("t.parquet", `SELECT * REPLACE (${column}) FROM (${base})`);
  expect(await folder.refusal({ transfers: "t.parquet" })).toBe(`t.parquet, ${sentence}`);
});

test("decimals that are too long are refused as what the file holds, unless there are texts beside them", async () => {
  const words = new Uint32Array([5, ...new Array(7).fill(0)]);
  const value = makeVector(makeData({ type: new Decimal(0, 76, 256), length: 1, nullCount: 0, data: words }));
  const write = (texts: Record<string, string>) => {
    const columns = Object.entries(texts).map(([name, text]) => [name, vectorFromArray([text], new Utf8())] as const);
    const table = new Table({ ...Object.fromEntries(columns), value });
    return new Folder().write("t.parquet", writeParquet(WasmTable.fromIPCStream(tableToIPC(table, "stream"))));
  };
  const texts = { block_number: "1", log_index: "2", block_timestamp: "3", from_address: ALICE, to_address: BOB };
  expect(await write(texts).refusal({ transfers: "t.parquet" })).toBe(
    "t.parquet, column value: has the type DECIMAL(76,0), of which only 38 digits can be read; export the integers again as text, for instance with CAST(value AS VARCHAR).",
  );
  const exact = await write({ ...texts, value_string: "5" }).read({ transfers: "t.parquet" });
  expect(events(exact)).toEqual([[1, 2, 3, ALICE, BOB, 5n]]);
});
