/** Reading with several threads: the same history, and the same refusals, as with one. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALICE, BOB, Folder, OTHER_TOKEN, TOKEN } from "./folder.ts";

const APART = { threads: 2 };
const FILES = { transfers: "*.parquet" };

/** Rows of three columns of texts as Parquet, several chunks of them; blocks fall from file to file. */
async function folder(change: Record<string, string> = {}): Promise<Folder> {
  const columns: Record<string, string> = {
    block_number: "9000 - row + 4000 * (2 - file)",
    log_index: "7",
    block_timestamp: "1600000000 + 9000 - row + 4000 * (2 - file)",
    from_address: "'0x' || printf('%040x', row * 7919 % 1000)",
    to_address: "'0x' || printf('%040x', row * file % 777)",
    value: "'1' || repeat('0', (row % 30)::INTEGER)",
    token_address: `CASE WHEN row % 5 = 0 THEN '${OTHER_TOKEN}' ELSE '${TOKEN}' END`,
    ...change,
  };
  const list = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
  const made = new Folder();
  for (const file of [1, 2]) {
    await made.parquet(`${file}.parquet`, `SELECT ${list} FROM range(4000) rows(row), (VALUES (${file})) files(file)`);
  }
  return made;
}

test("the history is the same to the last bit", async () => {
  const files = await folder();
  const together = await files.read(FILES);
  const apart = await files.read(FILES, APART);
  expect({ ...apart, knownFiles: undefined }).toEqual({ ...together, knownFiles: undefined });
  expect(apart.knownFiles(3000)).toEqual(together.knownFiles(3000));
  expect(together.report).toMatchObject({ rowsRead: 8000, skippedOtherContracts: 1600 });
  expect(together.history.rows).toBe(6400);
});

test.each([
  ["an address before a value", { to_address: `CASE row WHEN 3001 THEN 'x' ELSE '${ALICE}' END`, value: "3002 - row" }],
  ["a value before an address", { to_address: `CASE row WHEN 3003 THEN 'x' ELSE '${BOB}' END`, value: "3002 - row" }],
  ["an address in the second file", { from_address: `CASE WHEN row = 9 AND file = 2 THEN '' ELSE '${ALICE}' END` }],
])("the first refusal is named: %s", async (_, change) => {
  const files = await folder(change);
  const together = await files.refusal(FILES);
  expect(together).toMatch(/^[12]\.parquet, row /);
  expect(await files.refusal(FILES, APART)).toBe(together);
});

test("a file that turns out to be damaged on the way is refused alike", async () => {
  const files = await folder();
  const path = join(files.path, "2.parquet");
  // The footer stays intact: it is the rows that can't be read.
  files.write("2.parquet", readFileSync(path).fill(0xff, 4, 2000));
  const together = await files.refusal(FILES);
  expect(together).toMatch(/^2\.parquet /);
  expect(await files.refusal(FILES, APART)).toBe(together);
});
