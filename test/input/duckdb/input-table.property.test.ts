/** Files as tables: damage, columns, and names of files that mean nothing. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { labelText } from "../../../builder/input/labels/address-labels.ts";
import {
  ALICE,
  BOB,
  CAROL,
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
} from "../folder.ts";

const GOOD = row();
const BLOCK = "expected a block number, a whole number from 0 to 2^53 − 1.";
const gz = gzipSync(csv(HEADER, ...Array.from({ length: 3000 }, (_, block) => row({ block, value: block * 7919 }))));
const flipped = Uint8Array.from(gz, (byte, at) => (at === gz.length >> 1 ? byte ^ 0xff : byte));
test.each([
  ["transfers.csv", "# exported\n", "transfers.csv has no header after the comments that it begins with; add it."],
  [
    "transfers.csv",
    csv("Block;From;To;Log;Value", "1;2;3;4;5"),
    'transfers.csv lacks columns: a block number (block_number), a log index (log_index), a sender (from_address), a receiver (to_address), a time (block_timestamp or timestamp, or files of blocks under the key "blocks"). It has: Block, From, To, Log, Value.',
  ],
  ["transfers.csv", "", "transfers.csv is empty; a header line is expected, even without rows."],
  ["transfers.csv", csv(HEADER), `transfers.csv has no rows; add the transfers of ${TOKEN}.`],
  [
    "transfers.csv",
    csv(HEADER.replace("value", "amount"), GOOD),
    "transfers.csv lacks a column: an amount (value or value_binary or value_string or value_hex). It has: block_number, log_index, block_timestamp, from_address, to_address, amount.",
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
  [
    "transfers.xlsx",
    "[]",
    "transfers.xlsx is none of .csv, .json, .jsonl (each also .gz and .zst) and .parquet; rename or convert it.",
  ],
])("a file is refused: %s, %#", async (name, content, sentence) => {
  expect(await new Folder().write(name, content).refusal({ transfers: name })).toBe(sentence);
});

test.each([
  ["semicolons", ";", ""],
  ["tabs", "\t", ""],
  ["semicolons, which sep= names", ";", '"sep=;"\n'],
  ["a link and a comment at the top", ",", 'https://www.example.com/data\n\n# it is 5" long, with care\n'],
])("every file may be a CSV with %s", async (_, separator, top) => {
  const written = (...lines: string[]) => top + csv(...lines.map((line) => line.replaceAll(",", separator)));
  const timeless = (line: string) => line.split(",").toSpliced(2, 1).join(",");
  const folder = new Folder()
    .write("1.csv", written(HEADER, ROWS[0]!, ROWS[1]!))
    .write("2.csv.gz", written(...[HEADER, ROWS[2]!].map(timeless)))
    .write("blocks.csv", written("number,timestamp", `11,${T2}`))
    .write("prices.csv", written("timestamp,note,price_usd", `${T1},"a,b",2.5`))
    .write("exchanges.csv", written("address,exchange", `${ALICE},binance`))
    .write("contracts.csv", written("address", BOB))
    .write("team.csv", written("name,address", `Carol,${CAROL}`));
  const files = { blocks: "blocks.csv", prices: "prices.csv", exchanges: "exchanges.csv", contracts: "contracts.csv" };
  const read = await folder.read({ ...files, transfers: ["1.csv", "2.csv.gz"], cohorts: { team: "team.csv" } });
  expect(events(read)).toEqual(EVENTS);
  expect([...read.prices.usd]).toEqual([2.5]);
  expect([...read.groups.subarray(1)].map(labelText)).toEqual(["binance", "contract", "none"]);
  expect(read.report.files.map(({ rows }) => rows)).toEqual([2, 1, 1, 1, 1, 1, 1]);
});

test("rows are counted from the header, and lines from the top", async () => {
  const top = "# exported\nsep=;\n";
  const lines = [HEADER, GOOD, row({ value: "1.5" })].map((line) => line.replaceAll(",", ";"));
  expect(await new Folder().write("transfers.csv", top + csv(...lines)).refusal()).toMatch(
    /^transfers\.csv, row 2, column value: "1\.5" is not a whole number/,
  );
  expect(await new Folder().write("transfers.csv", top + csv(lines[0]!, "1;2")).refusal()).toBe(
    "transfers.csv, line 4: has 2 columns where the header has 6; correct that line.",
  );
});

test("a gzip file of several members is read whole", async () => {
  const members = [csv(HEADER, ROWS[0]!), csv(ROWS[1]!, ROWS[2]!)].map((part) => gzipSync(part));
  const folder = new Folder().write("transfers.csv.gz", Buffer.concat(members));
  expect(events(await folder.read({ transfers: "transfers.csv.gz" }))).toEqual(EVENTS);
});

test("names of files in capitals, and of folders that look like columns, mean nothing", async () => {
  const folder = new Folder();
  for (const name of ["c0=5", "value=7"]) mkdirSync(join(folder.path, name));
  folder.write("c0=5/a.csv", csv(HEADER, ROWS[0]!)).write("B.CSV.GZ", gzipSync(csv(HEADER, ROWS[1]!)));
  await folder.parquet("value=7/C.PARQUET", `SELECT * FROM ${TEXTS} WHERE block_number = '11'`);
  expect(events(await folder.read({ transfers: ["c0=5/a.csv", "B.CSV.GZ", "value=7/*"] }))).toEqual(EVENTS);
});
