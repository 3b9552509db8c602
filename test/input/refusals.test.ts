/** Every wrong input is refused with one sentence that says where and what. */

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ALICE, BOB, csv, Folder, HEADER, OTHER_TOKEN, row, TOKEN } from "./folder.ts";

const GOOD = row();
const VALUE = "expected raw token units, a whole number from 0 to 2^256 − 1.";
const ADDRESS = "expected an address, 0x and 40 hexadecimal digits.";
const BLOCK = "expected a block number, a whole number from 0 to 2^53 − 1.";
const LOG = "expected a log index, a whole number from 0 to 2^32 − 1.";
const TIME = "expected Unix seconds or ISO 8601.";
const SECOND = "transfers.csv, row 2, column";

describe("a cell of a transfer", () => {
  test.each([
    ["value", "", `value: the cell is empty; ${VALUE}`],
    ["value", "-5", `value: "-5" is negative; ${VALUE}`],
    ["value", "1.5", `value: "1.5" is not a whole number; ${VALUE}`],
    ["value", "1e18", `value: "1e18" is in scientific notation; ${VALUE}`],
    ["value", "1.2E+18", `value: "1.2E+18" is in scientific notation; ${VALUE}`],
    ["value", 2n ** 256n, `value: "${2n ** 256n}" is over 2^256 − 1; ${VALUE}`],
    ["value", "9".repeat(78), `value: "${"9".repeat(78)}" is over 2^256 − 1; ${VALUE}`],
    ["value", "9".repeat(200), `value: "${"9".repeat(87)}…" is over 2^256 − 1; ${VALUE}`],
    ["value", " 5", `value: " 5" has whitespace around it; ${VALUE}`],
    ["value", "0x5", `value: "0x5" is not valid; ${VALUE}`],
    ["value", "1_000", `value: "1_000" is not valid; ${VALUE}`],
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
  ])("%s %s", async (cell, text, sentence) => {
    const folder = new Folder().write("transfers.csv", csv(HEADER, GOOD, row({ [cell]: text })));
    expect(await folder.refusal()).toBe(`${SECOND} ${sentence}`);
  });

  test("is found far into a file, and behind rows of other contracts", async () => {
    const lines = Array.from({ length: 5000 }, (_, index) =>
      index % 2 ? `${row({ block: index })},${TOKEN}` : `?,?,?,?,?,?,${OTHER_TOKEN}`,
    );
    lines[4001] = `${row({ block: "x" })},${TOKEN}`;
    const folder = new Folder().write("transfers.csv", csv(`${HEADER},token_address`, ...lines));
    expect(await folder.refusal()).toBe(`transfers.csv, row 4002, column block_number: "x" is not valid; ${BLOCK}`);
  });
});

describe("a Parquet column", () => {
  const base = `SELECT 100 AS block_number, 1 AS log_index, 1600000000 AS block_timestamp, '${ALICE}' AS from_address, '${BOB}' AS to_address, '5' AS value`;
  test.each([
    ["5::DOUBLE AS value", `column value: has the type DOUBLE; ${VALUE.slice(0, -1)}, as text or integer or decimal.`],
    [
      "1.0::DOUBLE AS block_number",
      `column block_number: has the type DOUBLE; ${BLOCK.slice(0, -1)}, as text or integer.`,
    ],
    [
      "1.5::DOUBLE AS block_timestamp",
      `column block_timestamp: has the type DOUBLE; ${TIME.slice(0, -1)}, as text or integer or time.`,
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
  ])("%s", async (column, sentence) => {
    const folder = await new Folder().parquet("t.parquet", `SELECT * REPLACE (${column}) FROM (${base})`);
    expect(await folder.refusal({ transfers: "t.parquet" })).toBe(`t.parquet, ${sentence}`);
  });
});

describe("a file", () => {
  const gz = gzipSync(csv(HEADER, ...Array.from({ length: 3000 }, (_, block) => row({ block, value: block * 7919 }))));
  const flipped = Uint8Array.from(gz, (byte, at) => (at === gz.length >> 1 ? byte ^ 0xff : byte));
  test.each([
    ["transfers.csv", "", "transfers.csv is empty; a header line is expected, even without rows."],
    ["transfers.csv", csv(HEADER), `transfers.csv has no rows; add the transfers of ${TOKEN}.`],
    [
      "transfers.csv",
      csv(HEADER.replace("value", "amount"), GOOD),
      "transfers.csv has no column value or value_binary or value_string; its columns are block_number, log_index, block_timestamp, from_address, to_address, amount.",
    ],
    ["transfers.csv", csv(`${HEADER},Value`, `${GOOD},5`), "transfers.csv has column value 2 times; keep one."],
    ["transfers.csv", `\n${csv(HEADER, GOOD)}`, "transfers.csv begins with a blank line; begin it with the header."],
    [
      "transfers.csv",
      `${HEADER}\n${GOOD}\r\n${row({ block: 101 })}\n`,
      "transfers.csv mixes \\n and \\r\\n line endings; use one kind throughout.",
    ],
    [
      "transfers.csv",
      csv(`${HEADER},note`, `${GOOD},"a\nb"`, "", `${row({ block: "x" })},c`),
      `transfers.csv, row 2, column block_number: "x" is not valid; ${BLOCK}`,
    ],
    [
      "transfers.csv",
      csv(HEADER, GOOD, "1,2,3"),
      "transfers.csv, line 3: has 3 columns where the header has 6; correct that line.",
    ],
    [
      "transfers.csv",
      csv(HEADER, `${GOOD},7`),
      "transfers.csv, line 2: has 7 columns where the header has 6; correct that line.",
    ],
    [
      "transfers.csv",
      csv(HEADER, GOOD, `"${GOOD}`),
      "transfers.csv, line 3: a quoted text is not closed properly; correct its quotes.",
    ],
    [
      "transfers.csv",
      Buffer.from(csv(`${HEADER},note`, `${GOOD},caf\xe9`), "latin1"),
      "transfers.csv, line 2: is not UTF-8; convert the file to UTF-8.",
    ],
    [
      "transfers.csv",
      csv(`${HEADER},token_address`, `${GOOD},${OTHER_TOKEN}`),
      `transfers.csv has 1 row, but none of contract ${TOKEN}; compare "contract" in asset.json with the file's column of contracts.`,
    ],
    [
      "transfers.parquet",
      "PAR1 but no more",
      "transfers.parquet is not an intact Parquet file; export or download it again.",
    ],
    [
      "transfers.csv.gz",
      new TextEncoder().encode("block_number\n1\n"),
      "transfers.csv.gz is not an intact gzip file; export or download it again.",
    ],
    [
      "transfers.csv.gz",
      gz.subarray(0, gz.length - 100),
      "transfers.csv.gz is not an intact gzip file; export or download it again.",
    ],
    ["transfers.csv.gz", flipped, "transfers.csv.gz is not an intact gzip file; export or download it again."],
    ["transfers.json", "[]", "transfers.json is neither .csv, .csv.gz nor .parquet; rename or convert it."],
  ])("%s: %#", async (name, content, sentence) => {
    expect(await new Folder().write(name, content).refusal({ transfers: name })).toBe(sentence);
  });

  test.skipIf(process.getuid?.() === 0)("that can't be read", async () => {
    const folder = new Folder().write("transfers.csv", csv(HEADER, GOOD));
    chmodSync(join(folder.path, "transfers.csv"), 0);
    expect(await folder.refusal()).toBe(
      "transfers.csv (transfers) can't be read by this user; change its permissions.",
    );
  });

  test("that is not there", async () => {
    const folder = new Folder();
    expect(await folder.refusal()).toBe("transfers.csv (transfers) does not exist; paths are relative to ASSET.json.");
    expect(await folder.refusal({ transfers: "*.csv" })).toBe(
      "*.csv (transfers) matches no file; globs are relative to ASSET.json.",
    );
    folder.write("transfers.csv", csv(HEADER, GOOD));
    expect(await folder.refusal({ prices: "prices.csv" })).toBe(
      "prices.csv (prices) does not exist; paths are relative to ASSET.json.",
    );
    expect(await folder.refusal({ prices: "." })).toBe(
      ". (prices) is not a file; name the files in it, for instance ./*.csv.",
    );
  });
});

describe("rows against each other", () => {
  test("two different rows with one block and log index, in two files", async () => {
    const folder = new Folder().write("a.csv", csv(HEADER, row({ block: 1 }), row({ block: 7 })));
    folder.write(
      "b.csv",
      csv(`${HEADER},token_address`, `${row()},${OTHER_TOKEN}`, `${row({ block: 7, value: 6 })},${TOKEN}`),
    );
    expect(await folder.refusal({ transfers: ["a.csv", "b.csv"] })).toBe(
      "Block 7 has two different transfers with log index 1: a.csv, row 2 and b.csv, row 2; remove the wrong one.",
    );
  });

  test("times that fall while blocks rise", async () => {
    const folder = new Folder().write(
      "transfers.csv",
      csv(HEADER, row({ block: 8, time: 1_599_999_999 }), row({ block: 7 })),
    );
    expect(await folder.refusal()).toBe(
      "Block 8 (transfers.csv, row 1) has the time 2020-09-13T12:26:39Z, but the earlier block 7 (transfers.csv, row 2) has 2020-09-13T12:26:40Z; correct one of them.",
    );
  });

  test("two times in one block", async () => {
    const folder = new Folder().write("transfers.csv", csv(HEADER, row(), row({ log: 2, time: 1_600_000_001 })));
    expect(await folder.refusal()).toBe(
      "Block 100 has two times: 2020-09-13T12:26:40Z in transfers.csv, row 1 and 2020-09-13T12:26:41Z in transfers.csv, row 2; correct one of them.",
    );
  });

  test("as-of at the first transfer", async () => {
    const folder = new Folder().write("transfers.csv", csv(HEADER, GOOD));
    expect(await folder.refusal({ asOf: 1_600_000_000 })).toBe(
      'asset.json: "asOf" is 2020-09-13T12:26:40Z, not after the first transfer, 2020-09-13T12:26:40Z; set a later time or leave it out.',
    );
  });
});

describe("files of blocks", () => {
  const timeless = csv("block_number,log_index,from_address,to_address,value", `100,1,${ALICE},${BOB},5`);
  const refusal = (blocks: string) =>
    new Folder().write("transfers.csv", timeless).write("blocks.csv", blocks).refusal({ blocks: "blocks.csv" });

  test("that are needed but not named", async () => {
    expect(await new Folder().write("transfers.csv", timeless).refusal()).toBe(
      'transfers.csv has no column block_timestamp; add it, or name files of blocks under the key "blocks".',
    );
  });

  test("that lack a block, have it twice, or have a wrong cell", async () => {
    expect(await refusal(csv("number,timestamp", "99,1", "101,3"))).toBe(
      "blocks.csv: block 100 has a transfer but is not listed; add the file of blocks that lists it.",
    );
    expect(await refusal(csv("number,timestamp", "100,2", "100,3"))).toBe(
      "blocks.csv: block 100 has two times, 1970-01-01T00:00:02Z and 1970-01-01T00:00:03Z; remove the wrong one.",
    );
    expect(await refusal(csv("number,timestamp", "100,2", "101,"))).toBe(
      `blocks.csv, row 2, column timestamp: the cell is empty; ${TIME}`,
    );
    expect(await refusal(csv("block,timestamp", "100,2"))).toBe(
      "blocks.csv has no column block_number or number; its columns are block, timestamp.",
    );
  });
});
