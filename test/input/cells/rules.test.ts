/** What the rules say of invalid cells, and that the decoders refuse the same ones. */

import { expect, test } from "vitest";
import type { ByFamily } from "../../../builder/input/cells/cell-columns.ts";
import { BLOCK_NUMBERS, LOG_INDEXES, type NumberDecoder, TIMES } from "../../../builder/input/cells/numbers.ts";
import * as rules from "../../../builder/input/cells/rules.ts";
import { ADDRESSES, VALUE_WORDS, VALUES } from "../../../builder/input/cells/words.ts";
import { chunks, literal, withDatabase } from "../../../builder/input/duckdb/database.ts";
import { VECTOR_ROWS } from "../../../builder/input/duckdb/vectors.ts";
import { ALICE, BOB } from "../folder.ts";

const VALUE = "expected raw token units, a whole number from 0 to 2^256 − 1.";
const ADDRESS = "expected an address, 0x and 40 hexadecimal digits.";
const BLOCK = "expected a block number, a whole number from 0 to 2^53 − 1.";
const LOG = "expected a log index, a whole number from 0 to 2^32 − 1.";
const TIME = "expected Unix seconds or ISO 8601.";

const RULES = {
  value: rules.VALUE,
  from: rules.ADDRESS,
  to: rules.ADDRESS,
  block: rules.BLOCK_NUMBER,
  log: rules.LOG_INDEX,
  time: rules.TIME,
};

const CELLS: [cell: keyof typeof RULES, text: unknown, sentence: string][] = [
  ["value", "", `value: the cell is empty; ${VALUE}`],
  ["value", "-5", `value: "-5" is negative; ${VALUE}`],
  ["value", "1.5", `value: "1.5" is not a whole number; ${VALUE}`],
  ["value", "1e18", `value: "1e18" is in scientific notation; ${VALUE}`],
  ["value", "1,2E+18", `value: "1,2E+18" is in scientific notation; ${VALUE}`],
  ["value", "1,000", `value: "1,000" has separators between its digits; ${VALUE}`],
  ["value", "1.000.000", `value: "1.000.000" has separators between its digits; ${VALUE}`],
  ["value", "1.000", `value: "1.000" is not a whole number; ${VALUE}`],
  ["block", "19'000'000", `block_number: "19'000'000" has separators between its digits; ${BLOCK}`],
  ["value", "1.2E+18", `value: "1.2E+18" is in scientific notation; ${VALUE}`],
  ["value", 2n ** 256n, `value: "${2n ** 256n}" is over 2^256 − 1; ${VALUE}`],
  ["value", "9".repeat(78), `value: "${"9".repeat(78)}" is over 2^256 − 1; ${VALUE}`],
  ["value", "9".repeat(200), `value: "${"9".repeat(87)}…" is over 2^256 − 1; ${VALUE}`],
  ["value", " 5", `value: " 5" has whitespace around it; ${VALUE}`],
  ["value", "0x5", `value: "0x5" is not valid; ${VALUE}`],
  ["value", "1_000", `value: "1_000" has separators between its digits; ${VALUE}`],
  ["value", "٣", `value: "٣" is not valid; ${VALUE}`],
  ["from", "", `from_address: the cell is empty; ${ADDRESS}`],
  ["from", ALICE.slice(2), `from_address: "${ALICE.slice(2)}" lacks the 0x prefix; ${ADDRESS}`],
  ["from", ALICE.slice(0, -1), `from_address: "${ALICE.slice(0, -1)}" is not 20 bytes long; ${ADDRESS}`],
  ["to", `${BOB}00`, `to_address: "${BOB}00" is not 20 bytes long; ${ADDRESS}`],
  ["to", `0x${"z".repeat(40)}`, `to_address: "0x${"z".repeat(40)}" is not hexadecimal; ${ADDRESS}`],
  ["to", `0x${"é".repeat(20)}`, `to_address: "0x${"é".repeat(20)}" is not hexadecimal; ${ADDRESS}`],
  [
    "to",
    `0x${"0".repeat(24)}${BOB.slice(2)}`,
    `to_address: "0x${"0".repeat(24)}${BOB.slice(2)}" is a 32-byte log topic: drop its 24 leading zeros; ${ADDRESS}`,
  ],
  ["block", "1.5", `block_number: "1.5" is not a whole number; ${BLOCK}`],
  ["block", "1e3", `block_number: "1e3" is in scientific notation; ${BLOCK}`],
  ["block", "", `block_number: the cell is empty; ${BLOCK}`],
  ["block", "-1", `block_number: "-1" is negative; ${BLOCK}`],
  ["block", 2n ** 53n, `block_number: "9007199254740992" is too large; ${BLOCK}`],
  ["log", "0x1", `log_index: "0x1" is not valid; ${LOG}`],
  ["log", 2n ** 32n, `log_index: "4294967296" is too large; ${LOG}`],
  ["time", "1600000000000", `block_timestamp: "1600000000000" looks like milliseconds: divide by 1000; ${TIME}`],
  [
    "time",
    "1600000000000000",
    `block_timestamp: "1600000000000000" looks like microseconds or finer: whole seconds are needed; ${TIME}`,
  ],
  ["time", "1600000000.5", `block_timestamp: "1600000000.5" has a fraction of a second; ${TIME}`],
  [
    "time",
    "2020-01-01T00:00:00.250Z",
    `block_timestamp: "2020-01-01T00:00:00.250Z" has a fraction of a second; ${TIME}`,
  ],
  ["time", "2020-02-30", `block_timestamp: "2020-02-30" is not a valid date and time from 1970 on; ${TIME}`],
  ["time", "-5", `block_timestamp: "-5" is before 1970; ${TIME}`],
  ["time", "noon", `block_timestamp: "noon" is not valid; ${TIME}`],
];

test.each(CELLS)("%s %s is refused", (cell, text, sentence) => {
  const [column] = sentence.split(":") as [string];
  const problem = rules.cellProblem(RULES[cell], String(text), { file: "transfers.csv", row: 2 }, column);
  expect(problem).toBe(`transfers.csv, row 2, column ${sentence}`);
});

const textsOf = (...cells: string[]) => CELLS.filter(([cell]) => cells.includes(cell)).map(([, text]) => String(text));

test("the decoders of words refuse the same cells", async () => {
  await withDatabase(1, async (connection) => {
    for (const [{ sql, decode }, texts] of [
      [ADDRESSES.text!, textsOf("from", "to")],
      [VALUES.text!, textsOf("value")],
    ] as const) {
      const refused = new Uint8Array(VECTOR_ROWS);
      for await (const chunk of chunks(connection, cellsSql(texts, sql("cell")))) {
        decode(chunk, 0, new Uint32Array(VALUE_WORDS * VECTOR_ROWS), refused);
      }
      expect(refused.subarray(0, texts.length)).toEqual(new Uint8Array(texts.length).fill(1));
    }
  });
});

test("the decoders of numbers refuse the same cells", async () => {
  await withDatabase(1, async (connection) => {
    for (const [{ text }, texts] of [
      [BLOCK_NUMBERS, textsOf("block")],
      [LOG_INDEXES, textsOf("log")],
      [TIMES, textsOf("time")],
    ] as [ByFamily<NumberDecoder>, string[]][]) {
      const numbers = new Float64Array(VECTOR_ROWS);
      for await (const chunk of chunks(connection, cellsSql(texts, text!.sql("cell", "VARCHAR")))) {
        text!.decode(chunk, 0, numbers);
      }
      expect(numbers.subarray(0, texts.length)).toEqual(new Float64Array(texts.length).fill(Number.NaN));
    }
  });
});

const cellsSql = (cells: readonly string[], select: string) =>
  `SELECT ${select} FROM (SELECT unnest([${cells.map(literal).join(", ")}]::VARCHAR[]) AS cell)`;
