/** The input as a whole: files, report, shared memory, progress; and the same with several threads as with one. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { digestInput } from "../../builder/input/digest-input.ts";
import { SurveyProgress } from "../../builder/input/files/survey-progress.ts";
import { surveyInput } from "../../builder/input/survey.ts";
import { ALICE, BOB, csv, EVENTS, events, Folder, HEADER, OTHER_TOKEN, ROWS, TEXTS, TOKEN } from "./folder.ts";

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

test("the digest and size of each file are those of its bytes", async () => {
  const content = csv(HEADER, ...ROWS);
  const { report } = await new Folder().write("transfers.csv", content).read();
  const sha256 = createHash("sha256").update(content).digest("hex");
  expect(report.files).toEqual([{ role: "transfers", file: "transfers.csv", sha256, bytes: content.length, rows: 3 }]);
});

test("the columns of histories and prices are in shared memory", async () => {
  const { history, prices } = await new Folder().write("transfers.csv", csv(HEADER, ...ROWS)).read();
  const columns = [...Object.values(history), ...Object.values(prices)].filter((column) => typeof column === "object");
  expect(columns.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual(new Array(9).fill(true));
});

test("progress of a survey rises to its total", async () => {
  const folder = new Folder().write("1.csv", csv(HEADER, ...ROWS)).write("2.csv", csv(HEADER, ROWS[0]!));
  folder.write("prices.csv", csv("timestamp,price_usd", "1577836800,1"));
  const seen: number[] = [];
  const progress = new SurveyProgress((done, total) => seen.push(done / total));
  const asset = folder.asset({ transfers: ["1.csv", "2.csv"], prices: "prices.csv" });
  const read = await readAsset(asset);
  await surveyInput(read, await digestInput(read, { progress }), { progress });
  expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
  expect(seen.at(-1)).toBe(1);
});

const TWO_THREADS = { threads: 2 };
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

test("several threads read the same history to the last bit", async () => {
  const files = await folder();
  const oneThread = await files.read(FILES);
  const twoThreads = await files.read(FILES, TWO_THREADS);
  expect({ ...twoThreads, knownFiles: undefined }).toEqual({ ...oneThread, knownFiles: undefined });
  expect(twoThreads.knownFiles(1_600_005_600 - (1_600_005_600 % 86_400))).toEqual(
    oneThread.knownFiles(1_600_005_600 - (1_600_005_600 % 86_400)),
  );
  expect(oneThread.report).toMatchObject({ rowsRead: 8000, skippedOtherContracts: 1600 });
  expect(oneThread.history.rows).toBe(6400);
});

test.each([
  ["an address before a value", { to_address: `CASE row WHEN 3001 THEN 'x' ELSE '${ALICE}' END`, value: "3002 - row" }],
  ["a value before an address", { to_address: `CASE row WHEN 3003 THEN 'x' ELSE '${BOB}' END`, value: "3002 - row" }],
  ["an address in the second file", { from_address: `CASE WHEN row = 9 AND file = 2 THEN '' ELSE '${ALICE}' END` }],
])("several threads refuse the same cell: %s", async (_, change) => {
  const files = await folder(change);
  const oneThread = await files.refusal(FILES);
  expect(oneThread).toMatch(/^[12]\.parquet, row /);
  expect(await files.refusal(FILES, TWO_THREADS)).toBe(oneThread);
});

test("several threads refuse a file whose rows are damaged with the same message", async () => {
  const files = await folder();
  const path = join(files.path, "2.parquet");
  // The footer stays intact: it is the rows that can't be read.
  files.write("2.parquet", readFileSync(path).fill(0xff, 4, 2000));
  const oneThread = await files.refusal(FILES);
  expect(oneThread).toMatch(/^2\.parquet /);
  expect(await files.refusal(FILES, TWO_THREADS)).toBe(oneThread);
});
