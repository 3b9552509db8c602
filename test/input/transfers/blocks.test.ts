/** Files of blocks. */

import { expect, test } from "vitest";
import { ALICE, BOB, csv, EVENTS, events, Folder, HEADER, ROWS, T1, T2, TEXTS } from "../folder.ts";

const timeless = csv("block_number,log_index,from_address,to_address,value", `100,1,${ALICE},${BOB},5`);
const refusal = (blocks: string) =>
  new Folder().write("transfers.csv", timeless).write("blocks.csv", blocks).refusal({ blocks: "blocks.csv" });

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

test("files of blocks that are needed but not named are reported", async () => {
  expect(await new Folder().write("transfers.csv", timeless).refusal()).toBe(
    'transfers.csv lacks a column: a time (block_timestamp or timestamp, or files of blocks under the key "blocks"). It has: block_number, log_index, from_address, to_address, value.',
  );
});

test("files of blocks that lack a block, list two times of it, or have an invalid cell are refused", async () => {
  expect(await refusal(csv("number,timestamp", "99,1", "101,3"))).toBe(
    "blocks.csv: block 100 has a transfer but is not listed; add the file of blocks that lists it.",
  );
  expect(await refusal(csv("number,timestamp", "100,2", "100,3"))).toBe(
    "blocks.csv: block 100 has two times, 1970-01-01T00:00:02Z and 1970-01-01T00:00:03Z; remove the wrong one.",
  );
  expect(await refusal(csv("number,timestamp", "100,2", "101,"))).toBe(
    `blocks.csv, row 2, column timestamp: the cell is empty; expected Unix seconds or ISO 8601.`,
  );
  expect(await refusal(csv("block,timestamp", "100,2"))).toBe(
    "blocks.csv lacks a column: a block number (block_number or number). It has: block, timestamp.",
  );
});
